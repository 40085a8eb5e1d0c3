import type { ItemVerdict, Verdict } from '../../hops/index.ts';
import { FIRST_CALL } from './items.ts';
import type { ChatChunk } from './stream-frame.ts';

/** What was said of the items of one hop. */
export class ItemVerdicts {
  readonly #verdicts = new Map<number, Verdict>();
  /** True as long as no item is left out or on hold: then it does not matter whose a chunk is. */
  #allShown = true;

  note(verdicts: readonly ItemVerdict[]): void {
    for (const { index, verdict } of verdicts) this.#verdicts.set(index, verdict);
    this.#allShown = [...this.#verdicts.values()].every((verdict) => verdict === 'show');
  }

  /** True if every item that the chunk has a part of is shown. */
  showAll({ items, calls }: ChatChunk): boolean {
    return this.#allShown && calls.length === 0 ? true : items.every((item) => this.#on(item) === 'show');
  }

  held({ items }: ChatChunk): ReadonlySet<number> {
    return new Set(items.filter((item) => this.#on(item) === 'hold'));
  }

  hidden({ items }: ChatChunk): ReadonlySet<number> {
    return new Set(items.filter((item) => this.#on(item) === 'hide'));
  }

  get hasShownCalls(): boolean {
    return this.#someCall('show');
  }

  get hasHiddenCalls(): boolean {
    return this.#someCall('hide');
  }

  #someCall(wanted: Verdict): boolean {
    return [...this.#verdicts].some(([index, verdict]) => index >= FIRST_CALL && verdict === wanted);
  }

  /** A call of which nothing was said yet has no name yet. */
  #on(item: number): Verdict {
    return this.#verdicts.get(item) ?? (item >= FIRST_CALL ? 'hold' : 'show');
  }
}
