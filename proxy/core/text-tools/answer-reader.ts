import { isJsonObject, parseJson, stringField } from '../json/index.ts';
import { judgeCall } from './judge-call.ts';
import type { Offer, OfferedTool } from './offered-tools.ts';
import { TextScanner } from './scan-text.ts';
import type { ScanEvent } from './scan-output.ts';
import type { CallFormat } from './scan-text.ts';
import type { WrittenCall } from './written-call.ts';

/** A call that was text, as the protocols carry calls. */
export interface NativeCall {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly namespace: string | undefined;
  /** Arguments as JSON text, or the input of a custom tool. */
  readonly content: string;
  /** `call_` and 24 hexadecimal digits. */
  readonly callId: string;
}

/** A piece of an answer, in order. */
export type AnswerEvent =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'call'; readonly call: NativeCall };

/** Whether a call that cannot run is handed on for the model to be told why, or stays the text that it is. */
export type Attempt = 'more_follow' | 'last';

export interface CallDeskOptions {
  readonly format: CallFormat;
  readonly attempt: Attempt;
  readonly knownNames: ReadonlySet<string>;
  /** Fresh unique ids: 24 hexadecimal digits. */
  readonly newId: () => string;
}

/** Where the calls of one answer come in: judges them, numbers them, and keeps what is wrong with them. */
export class CallDesk {
  readonly rejections = new Map<string, string>();
  readonly newId: () => string;
  #offer: Offer;
  readonly #options: CallDeskOptions;
  readonly #scanners: TextScanner[] = [];

  constructor(offer: Offer, options: CallDeskOptions) {
    this.#offer = offer;
    this.#options = options;
    this.newId = options.newId;
  }

  /** What the model may call in this answer. */
  set offer(offer: Offer) {
    this.#offer = offer;
  }

  /** False where nothing is offered: then no text is a call. */
  get isOpen(): boolean {
    return this.#offer.tools.length > 0;
  }

  /** Calls, begun at least, that could not be read and are text now. */
  get unreadable(): number {
    return this.#scanners.reduce((sum, scanner) => sum + scanner.unreadable, 0);
  }

  /** A reader for one text of the answer. Texts of one lane share the right to the one call, where one is allowed. */
  openReader(lane: Lane): AnswerReader {
    const scanner = new TextScanner({
      format: this.#options.format,
      judge: (calls) => this.#judge(calls, lane),
    });
    this.#scanners.push(scanner);
    return new AnswerReader(scanner, (call) => this.#toNative(call));
  }

  #judge(calls: readonly WrittenCall[], lane: Lane): 'calls' | 'text' {
    if (this.#offer.calls === 'one' && lane.calls + calls.length > 1) return 'text';
    const isUnfit = (call: WrittenCall): boolean => this.#check(call).kind === 'unfit';
    if (this.#options.attempt === 'last' && calls.some(isUnfit)) return 'text';
    lane.calls += calls.length;
    return 'calls';
  }

  #check(call: WrittenCall): ReturnType<typeof judgeCall> | { readonly kind: 'known' } {
    const isOffered = this.#offer.tools.some(({ key }) => key === call.name);
    return !isOffered && this.#options.knownNames.has(call.name)
      ? { kind: 'known' }
      : judgeCall(call, this.#offer);
  }

  #toNative(call: WrittenCall): NativeCall {
    const checked = this.#check(call);
    const callId = `call_${this.newId()}`;
    if (checked.kind === 'unfit') this.rejections.set(callId, checked.reason);
    const tool = checked.kind === 'known' ? undefined : checked.tool;
    return {
      kind: tool?.kind ?? 'function',
      name: tool?.name ?? call.name,
      namespace: tool?.namespace,
      content: contentOf(call, tool),
      callId,
    };
  }
}

/** The calls of one answer so far. */
export interface Lane {
  calls: number;
}

function contentOf(call: WrittenCall, tool: OfferedTool | undefined): string {
  if (tool?.kind !== 'custom') return call.argumentsText;
  const value = parseJson(call.argumentsText);
  return (isJsonObject(value) ? stringField(value, 'input') : undefined) ?? call.argumentsText;
}

/** Reads one text of an answer. */
export class AnswerReader {
  readonly #scanner: TextScanner;
  readonly #toNative: (call: WrittenCall) => NativeCall;

  constructor(scanner: TextScanner, toNative: (call: WrittenCall) => NativeCall) {
    this.#scanner = scanner;
    this.#toNative = toNative;
  }

  push(text: string): AnswerEvent[] {
    return this.#scanner.push(text).flatMap((event) => this.#events(event));
  }

  end(): AnswerEvent[] {
    return this.#scanner.end().flatMap((event) => this.#events(event));
  }

  /** The events of a whole text, neighbouring texts joined. */
  readAll(text: string): AnswerEvent[] {
    const joined: AnswerEvent[] = [];
    for (const event of [...this.push(text), ...this.end()]) {
      const last = joined.at(-1);
      if (event.kind === 'text' && last?.kind === 'text') {
        joined[joined.length - 1] = { kind: 'text', text: last.text + event.text };
      } else joined.push(event);
    }
    return joined;
  }

  #events(event: ScanEvent): AnswerEvent[] {
    if (event.kind === 'text') return [event];
    return event.calls.map((call) => ({ kind: 'call', call: this.#toNative(call) }));
  }
}
