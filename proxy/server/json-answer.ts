import { ToolrollError } from '../core/errors.ts';
import type { ItemVerdict, Next } from '../core/hops/index.ts';
import type { DecodedItem, DecodedResponse } from '../core/protocols/index.ts';
import type { Turn } from '../core/turn/index.ts';
import { decodeText } from './decode-text.ts';
import { nameMapsOf } from './name-maps.ts';
import { mustBeRead } from './turn-run.ts';
import type { AnswerContext, HopAnswer } from './turn-run.ts';

/** Takes answers that come as one JSON text, and gives the app the last one, merged with what earlier hops kept. */
export class JsonAnswer<T extends Turn> {
  readonly #context: AnswerContext<T>;
  readonly #earlier: DecodedItem[] = [];

  constructor(context: AnswerContext<T>) {
    this.#context = context;
  }

  /** True if the app is to get items of a hop that is over. */
  get keepsItems(): boolean {
    return this.#earlier.length > 0;
  }

  /** Reads one hop's answer to its end. */
  async take(answer: HopAnswer): Promise<Next> {
    const { run, machine, usage } = this.#context;
    const bytes = await this.#read(answer);
    const text = decodeText(bytes);
    run.record.hopContent(text);
    const decoded = run.adapter.decodeResponse(answer.transport?.decodeResponse(text) ?? text);
    if (decoded === undefined) return this.#unreadable(answer, bytes);
    const shown = new Set<number>();
    const note = (verdicts: readonly ItemVerdict[]): void => {
      for (const { index, verdict } of verdicts) if (verdict === 'show') shown.add(index);
    };
    decoded.items.forEach(({ item, text: own }, index) => {
      note(machine.open(index, item));
      note(machine.close(index, item, own));
    });
    const { next, verdicts } = machine.end(decoded.status);
    note(verdicts);
    if (decoded.usage !== undefined) usage.push(decoded.usage);
    run.record.hopEnded(
      decoded.usage && run.adapter.readUsage(decoded.usage),
      next.kind === 'hop' ? next.picks : [],
    );
    if (next.kind === 'answer') this.#send(answer, decoded, shown);
    else this.#earlier.push(...decoded.items.filter((_, index) => shown.has(index)));
    return next;
  }

  async #read({ response }: HopAnswer): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    await this.#context.timer.consume(response.body, (chunk) => {
      chunks.push(chunk);
      return undefined;
    });
    return Buffer.concat(chunks);
  }

  /** An answer that is none of this API's: the app gets it as it is, unless something of ours may stand in it. */
  #unreadable({ hop, response }: HopAnswer, bytes: Buffer): Next {
    const { run } = this.#context;
    if (run.app.isCommitted || mustBeRead(run, hop)) {
      throw new ToolrollError('upstream_malformed', { reason: 'its answer is not a JSON object' });
    }
    run.record.hopEnded(undefined);
    run.app.begin(response, bytes.byteLength);
    run.app.end(bytes);
    return { kind: 'answer' };
  }

  #send(
    { changes, response, appended }: HopAnswer,
    decoded: DecodedResponse,
    shown: ReadonlySet<number>,
  ): void {
    const { run } = this.#context;
    const { adapter, turn, plan } = run;
    if (run.app.isCommitted) {
      throw new ToolrollError('upstream_malformed', { reason: 'it answered a stream with JSON' });
    }
    const body = adapter.encodeResponse(decoded, {
      shown,
      earlier: this.#earlier,
      echo: { ...adapter.echoOf(turn, changes), ...run.skills?.echo },
      names: nameMapsOf(turn, plan),
      usage: plan.ruleSet.selection.usage === 'sum' ? this.#context.usage : [],
      appended,
    });
    if (decoded.status === 'failed') run.record.ended('upstream_error');
    const bytes = Buffer.from(body);
    run.app.begin(response, bytes.byteLength);
    run.app.end(bytes);
  }
}
