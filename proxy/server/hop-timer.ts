import type { TurnRecord } from './turn-record.ts';

/** Tells the record how long a turn waited for others, so that its own time can be told apart. */
export class HopTimer {
  readonly #record: TurnRecord;
  /** Waits under way: the rest of one hop may still come in while the next is waited for, and that time counts once. */
  #waits = 0;
  #since = 0;

  constructor(record: TurnRecord) {
    this.#record = record;
  }

  /** Waits for what the upstream or the app does. */
  async wait<T>(other: Promise<T>): Promise<T> {
    if (this.#waits === 0) this.#since = performance.now();
    this.#waits += 1;
    try {
      return await other;
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) this.#record.waited(performance.now() - this.#since);
    }
  }

  /** The chunks of a body, the waits between them counted. */
  async *chunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    const iterator = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.wait(iterator.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
}
