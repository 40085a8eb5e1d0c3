import type { ResponseBody } from '../upstream/index.ts';
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
    this.#begin();
    try {
      return await other;
    } finally {
      this.#end();
    }
  }

  /** Waits for the app to read on, where it does not keep up. */
  async waitFor(written: Promise<void> | undefined): Promise<void> {
    if (written !== undefined) await this.wait(written);
  }

  /** Reads a body to its end; all but the time that `take` itself needs counts as waiting. */
  async consume(body: ResponseBody, take: (chunk: Uint8Array) => Promise<void> | undefined): Promise<void> {
    this.#begin();
    try {
      await body.consume((chunk) => {
        this.#end();
        try {
          return take(chunk);
        } finally {
          this.#begin();
        }
      });
    } finally {
      this.#end();
    }
  }

  #begin(): void {
    if (this.#waits === 0) this.#since = performance.now();
    this.#waits += 1;
  }

  #end(): void {
    this.#waits -= 1;
    if (this.#waits === 0) this.#record.waited(performance.now() - this.#since);
  }
}
