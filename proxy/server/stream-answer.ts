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
    this.#encoder = adapter.createStreamEncoder(nameMapsOf(turn, plan));
  }

  /** Reads one hop's stream until it is clear what follows; the answer's stream is read to its end. */
  async take(answer: HopAnswer): Promise<Next> {
    const { run } = this.#context;
    const held = showsMenu(run.plan, answer.hop);
    this.#encoder.beginHop({
      echo: run.adapter.echoOf(run.turn, answer.changes),
      mode: held ? 'held' : 'live',
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
    const reading = new HopReading(run.adapter.createStreamDecoder());
    const chunks = timer.chunks(answer.response.body);
    try {
      for (let chunk = await chunks.next(); chunk.done !== true; chunk = await chunks.next()) {
        if (run.plan.ruleSet.auditContents) run.record.hopContent(Buffer.from(chunk.value).toString('utf8'));
        await this.#pass(answer, reading, reading.decoder.push(chunk.value));
        if (reading.next !== undefined && reading.next.kind !== 'answer') {
          leaveRest(answer, chunks);
          return reading.next;
        }
      }
    } catch (error) {
      // Ends the reading too, with its timers, and not only the connection.
      await chunks.return?.();
      answer.response.body.destroy();
      // The answer is whole; what its connection did afterwards is nobody's loss.
      if (reading.next?.kind !== 'answer' || run.signal.aborted) throw error;
    }
    await this.#pass(answer, reading, reading.decoder.flush());
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

  async #pass(answer: HopAnswer, reading: HopReading, frames: Iterable<StreamFrame>): Promise<void> {
    const { run, timer } = this.#context;
    const output: (string | Uint8Array)[] = [];
    for (const frame of frames) {
      if (reading.next !== undefined && reading.next.kind !== 'answer') break;
      output.push(...this.#takeFrame(reading, frame));
    }
    if (output.length === 0) return;
    run.app.begin(answer.response, 'stream');
    await timer.waitFor(run.app.write(output));
    run.signal.throwIfAborted();
  }

  #takeFrame(reading: HopReading, frame: StreamFrame): StreamOutput {
    if (reading.next !== undefined) return [frame.raw];
    const { signal } = frame;
    if (signal === undefined) return this.#encoder.push(frame, []);
    switch (signal.kind) {
      case 'errored':
        reading.errored = true;
        return this.#encoder.push(frame, []);
      case 'opened':
        return this.#encoder.push(frame, this.#context.machine.open(signal.index, signal.item));
      case 'closed':
        return this.#encoder.push(frame, this.#context.machine.close(signal.index, signal.item, signal.text));
      case 'ended':
        return this.#endHop(reading, frame, signal);
      default:
        return signal satisfies never;
    }
  }

  #endHop(reading: HopReading, frame: StreamFrame, signal: Extract<Signal, { kind: 'ended' }>): StreamOutput {
    const { run, machine, usage } = this.#context;
    const { next, verdicts } = machine.end(signal.status);
    if (signal.usage !== undefined) usage.push(signal.usage);
    run.record.hopEnded(
      signal.usage && run.adapter.readUsage(signal.usage),
      next.kind === 'hop' ? next.picks : [],
    );
    reading.next = next;
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

class HopReading {
  readonly decoder: StreamDecoder;
  next: Next | undefined;
  errored = false;

  constructor(decoder: StreamDecoder) {
    this.decoder = decoder;
  }
}

/** The hop has said all that matters. Its connection is kept if the rest comes soon, and the next hop does not wait for it. */
function leaveRest({ response }: HopAnswer, chunks: AsyncIterableIterator<Uint8Array>): void {
  const drain = async (): Promise<void> => {
    const limit = setTimeout(() => {
      response.body.destroy();
    }, LEFTOVER_MS);
    try {
      while ((await chunks.next()).done !== true);
    } catch {
      // Whatever its connection does now, the hop is over.
    } finally {
      clearTimeout(limit);
    }
  };
  void drain();
}
