import { detach } from './values.ts';
import type { KnownValues, Span } from './scan.ts';

/** Below this a look is cheaper than a comparison is worth. */
const MIN_CHARS = 1024;
const MAX_VALUES = 8;
const MAX_CHARS = 8_000_000;

/**
 * The values that were seen last. A value's end depends on its own text alone, so where one of them stands again its end is
 * known; comparing is many times faster than scanning.
 */
export class RecentValues implements KnownValues {
  #values: string[] = [];

  endAt(text: string, start: number): number | undefined {
    for (const [index, value] of this.#values.entries()) {
      const end = start + value.length;
      if (end > text.length || text.slice(start, end) !== value) continue;
      if (index > 0) this.#values = [value, ...this.#values.filter((other) => other !== value)];
      return end;
    }
    return undefined;
  }

  /** Remembers a value, unless it is remembered already. */
  note(text: string, { start, end }: Span): void {
    if (end - start < MIN_CHARS || end - start > MAX_CHARS / 2) return;
    if (this.endAt(text, start) === end) return;
    this.#values = [detach(text.slice(start, end)), ...this.#values].slice(0, MAX_VALUES);
    let chars = 0;
    this.#values = this.#values.filter((kept) => (chars += kept.length) <= MAX_CHARS);
  }
}
