import { parseFrame } from '../../sse/index.ts';

/** Stands for an item that no event has named. */
export const NO_ITEM = -1;

/** Events of words, which are most of a long answer and mean nothing to the turn. */
const TEXT_EVENTS = [
  'response.output_text.delta',
  'response.reasoning_summary_text.delta',
  'response.reasoning_text.delta',
  'response.refusal.delta',
].map((name) => new TextEncoder().encode(`event: ${name}\n`));

const text = new TextDecoder();

/** True if the frame's first line names an event of words; told from its bytes, before any of it is decoded. */
export function isTextDelta(raw: Uint8Array): boolean {
  return TEXT_EVENTS.some((prefix) => startsWith(raw, prefix));
}

function startsWith(raw: Uint8Array, prefix: Uint8Array): boolean {
  if (raw.length < prefix.length) return false;
  // From the end, where the names differ.
  for (let index = prefix.length - 1; index >= 0; index -= 1) if (raw[index] !== prefix[index]) return false;
  return true;
}

/** A piece of text on its way. Where it just goes on it is not even decoded. */
export class TextDelta {
  readonly kind = 'part';
  readonly #raw: Uint8Array;
  readonly #findItem: (data: string) => number | undefined;
  #decoded: { readonly text: string; readonly data: string } | undefined;
  #index: number | undefined;

  /** @param findItem which item the event's data mean; asked when the item is first wanted */
  constructor(raw: Uint8Array, findItem: (data: string) => number | undefined) {
    this.#raw = raw;
    this.#findItem = findItem;
  }

  get text(): string {
    return this.#read().text;
  }

  get data(): string {
    return this.#read().data;
  }

  get index(): number {
    this.#index ??= this.#findItem(this.data) ?? NO_ITEM;
    return this.#index;
  }

  #read(): { readonly text: string; readonly data: string } {
    if (this.#decoded === undefined) {
      const frame = text.decode(this.#raw);
      this.#decoded = { text: frame, data: parseFrame(frame).data ?? '' };
    }
    return this.#decoded;
  }
}
