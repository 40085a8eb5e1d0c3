import type { WrittenCall } from './written-call.ts';

/** A piece of an answer, in order. */
export type ScanEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'calls'; readonly calls: readonly WrittenCall[] };

/** White space is held no longer than this. */
const MAX_WHITE_CHARS = 65_536;

const NOT_WHITE = /[^ \t\r\n]/;

/** Gathers what a scanner finds. White space waits for what follows: where it only separates calls it is dropped. */
export class ScanOutput {
  #events: ScanEvent[] = [];
  #text = '';
  /** White space since the last call, as long as nothing else came. */
  #white = '';
  #hasSpoken = false;
  #hasCalled = false;

  say(text: string): void {
    if (this.#hasSpoken) {
      this.#text += text;
      return;
    }
    this.#white += text;
    if (!NOT_WHITE.test(text) && this.#white.length <= MAX_WHITE_CHARS) return;
    this.#text += this.#white;
    this.#white = '';
    this.#hasSpoken = true;
  }

  call(calls: readonly WrittenCall[]): void {
    this.#closeText();
    this.#events.push({ kind: 'calls', calls });
    this.#white = '';
    this.#hasSpoken = false;
    this.#hasCalled = true;
  }

  /** What there is so far. */
  take(): ScanEvent[] {
    this.#closeText();
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** What there is at the end; white space alone is an answer too. */
  end(): ScanEvent[] {
    if (!this.#hasCalled) this.#text += this.#white;
    this.#white = '';
    return this.take();
  }

  #closeText(): void {
    if (this.#text !== '') this.#events.push({ kind: 'text', text: this.#text });
    this.#text = '';
  }
}
