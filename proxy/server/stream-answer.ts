import { ToolrollError } from '../core/errors.ts';
import { showsMenu } from '../core/hops/index.ts';
import type { ItemVerdict, Next } from '../core/hops/index.ts';
import type {
  Signal,
  StreamDecoder,
  StreamEncoder,
  StreamFrame,
  StreamOutput,
} from '../core/protocols/index.ts';
import type { TextStream } from '../core/text-tools/index.ts';
import type { Turn } from '../core/turn/index.ts';
import { UpstreamFailure } from '../upstream/index.ts';
import { nameMapsOf } from './name-maps.ts';
import type { AnswerContext, HopAnswer } from './turn-run.ts';

/** How long the rest of a hop that has said its last word may hold up its connection before it is closed. */
const LEFTOVER_MS = 1000;

/** Takes answers that come as event streams, and gives the app one stream: what is the answer's, as it arrives. */
export class StreamAnswer<T extends Turn> {
  readonly #context: AnswerContext<T>;
  readonly #encoder: StreamEncoder;

  constructor(context: AnswerContext<T>) {
    const { adapter, turn, plan } = context.run;
    this.#context = context;
    this.#encoder = adapter.createStreamEncoder(turn, nameMapsOf(turn, plan));
  }

  /** Reads one hop's stream until it is clear what follows; the answer's stream is read to its end. */
  async take(answer: HopAnswer): Promise<Next> {
    const { run } = this.#context;
    const held = showsMenu(run.plan, answer.hop);
    this.#encoder.beginHop({
      echo: { ...run.adapter.echoOf(run.turn, answer.changes), ...run.skills?.echo },
      mode: held ? 'held' : 'live',
      appended: answer.appended,
    });
    run.app.startKeepalive(answer.response, run.keepaliveSeconds);
    return this.#readHop(answer);
  }

  /**
   * The turn cannot go on. Once a stream has begun its status is sent, and what went wrong is said inside it.
   *
   * @throws the error itself where the app can be told in another way, or is gone
   */
  async breakOff(error: unknown): Promise<void> {
    const { run } = this.#context;
    if (!run.app.isStreaming || run.signal.aborted) throw error;
    const known = error instanceof UpstreamFailure ? error.toToolrollError() : error;
    const told = known instanceof ToolrollError ? known : new ToolrollError('internal', {}, { cause: error });
    run.record.hopFailed(told.message);
    run.record.failed(told);
    run.onFailure(error);
    await this.fail(told);
  }

  /** Ends a stream that cannot go on, in the way that the official clients understand. */
  async fail(error: ToolrollError): Promise<void> {
    const { app } = this.#context.run;
    const { type, code, message } = error.toBody().error;
    await app.write(this.#encoder.fail({ type, code, message }));
    app.end();
  }

  async #readHop(answer: HopAnswer): Promise<Next> {
    const { run, timer } = this.#context;
    const reading = new HopReading(run.adapter.createStreamDecoder(), answer.transport?.createStream());
    const whole = timer.consume(answer.response.body, (chunk) => {
      if (run.plan.ruleSet.auditContents) run.record.hopContent(Buffer.from(chunk).toString('utf8'));
      return this.#pass(answer, reading, reading.push(chunk));
    });
    try {
      await Promise.race([whole, reading.left]);
    } catch (error) {
      // The answer is whole; what its connection did afterwards is nobody's loss.
      if (reading.next?.kind !== 'answer' || run.signal.aborted) throw error;
    }
    if (reading.isLeft()) leaveRest(answer, whole);
    else await timer.waitFor(this.#pass(answer, reading, reading.flush()));
    return this.#ended(reading);
  }

  #ended(reading: HopReading): Next {
    const { run } = this.#context;
    if (reading.next === undefined && !reading.errored) throw new UpstreamFailure('closed');
    if (reading.next !== undefined && reading.next.kind !== 'answer') return reading.next;
    if (reading.next === undefined) {
      run.record.hopEnded(undefined);
      run.record.ended('upstream_error');
    }
    run.app.end();
    return { kind: 'answer' };
  }

  /** Takes the frames up to the one that ends the hop. The promise, if any, is fulfilled once the app keeps up again. */
  #pass(answer: HopAnswer, reading: HopReading, frames: Iterable<StreamFrame>): Promise<void> | undefined {
    const { run } = this.#context;
    if (reading.isLeft()) return undefined;
    const output: (string | Uint8Array)[] = [];
    for (const frame of frames) {
      output.push(...this.#takeFrame(reading, frame));
      if (reading.isLeft()) break;
    }
    if (output.length === 0) return undefined;
    run.app.begin(answer.response, 'stream');
    return run.app.write(output);
  }

  #takeFrame(reading: HopReading, frame: StreamFrame): StreamOutput {
    if (reading.next !== undefined) return [frame.raw];
    const verdicts: ItemVerdict[] = [];
    for (const signal of frame.signals) {
      if (signal.kind === 'ended') return this.#endHop(reading, { frame, signal, earlier: verdicts });
      verdicts.push(...this.#judge(reading, signal));
    }
    return this.#encoder.push(frame, verdicts);
  }

  #judge(reading: HopReading, signal: Exclude<Signal, EndSignal>): ItemVerdict[] {
    const { machine } = this.#context;
    switch (signal.kind) {
      case 'errored':
        reading.errored = true;
        return [];
      case 'opened':
        return machine.open(signal.index, signal.item);
      case 'closed':
        return machine.close(signal.index, signal.item, signal.text);
      default:
        return signal satisfies never;
    }
  }

  #endHop(reading: HopReading, { frame, signal, earlier }: HopEnd): StreamOutput {
    const { run, machine, usage } = this.#context;
    const { next, verdicts: last } = machine.end(signal.status);
    const verdicts = [...earlier, ...last];
    if (signal.usage !== undefined) usage.push(signal.usage);
    run.record.hopEnded(
      signal.usage && run.adapter.readUsage(signal.usage),
      next.kind === 'hop' ? next.picks : [],
    );
    reading.decide(next);
    if (next.kind !== 'answer') return this.#encoder.endHop(verdicts);
    run.app.stopKeepalive();
    if (signal.status === 'failed') run.record.ended('upstream_error');
    return this.#finish(frame, verdicts);
  }

  #finish(frame: StreamFrame, verdicts: readonly ItemVerdict[]): StreamOutput {
    const { run, usage } = this.#context;
    const sums = run.plan.ruleSet.selection.usage === 'sum';
    return this.#encoder.finish(frame, verdicts, sums ? usage : []);
  }
}

type EndSignal = Extract<Signal, { kind: 'ended' }>;

interface HopEnd {
  readonly frame: StreamFrame;
  readonly signal: EndSignal;
  /** Of the items that the last frame told of before it ended the hop. */
  readonly earlier: readonly ItemVerdict[];
}

class HopReading {
  readonly #decoder: StreamDecoder;
  /** Makes calls that were written as text into native ones. */
  readonly #transport: TextStream | undefined;
  /** Fulfilled when another hop follows, whatever this one has still to say. */
  readonly left: Promise<void>;
  errored = false;
  #next: Next | undefined;
  #leave: () => void = () => undefined;

  constructor(decoder: StreamDecoder, transport: TextStream | undefined) {
    this.#decoder = decoder;
    this.#transport = transport;
    this.left = new Promise((resolve) => {
      this.#leave = resolve;
    });
  }

  /** The frames that a chunk completes. */
  push(chunk: Uint8Array): Iterable<StreamFrame> {
    return this.#transport === undefined
      ? this.#decoder.push(chunk)
      : this.#decodeAll(this.#transport.push(chunk));
  }

  /** What is left when the stream has ended. */
  *flush(): Generator<StreamFrame, void, undefined> {
    if (this.#transport !== undefined) yield* this.#decodeAll(this.#transport.flush());
    yield* this.#decoder.flush();
  }

  *#decodeAll(chunks: readonly Uint8Array[]): Generator<StreamFrame, void, undefined> {
    for (const chunk of chunks) yield* this.#decoder.push(chunk);
  }

  get next(): Next | undefined {
    return this.#next;
  }

  isLeft(): boolean {
    return this.#next !== undefined && this.#next.kind !== 'answer';
  }

  decide(next: Next): void {
    this.#next = next;
    if (this.isLeft()) this.#leave();
  }
}

/** The hop has said all that matters. Its connection is kept if the rest comes soon, and the next hop does not wait for it. */
function leaveRest({ response }: HopAnswer, whole: Promise<void>): void {
  const limit = setTimeout(() => {
    response.body.destroy();
  }, LEFTOVER_MS);
  const over = (): void => {
    clearTimeout(limit);
  };
  // Whatever its connection does now, the hop is over.
  whole.then(over, over);
}
