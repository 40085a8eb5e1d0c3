import { FIRST_CALL } from './items.ts';
import type { ChunkCall } from './stream-frame.ts';

/** The `index` of each call in the app's stream, over all hops: without gaps, once something was left out. */
export class CallPlaces {
  #places = new Map<number, number>();
  #next = 0;

  /** How many calls the app was given so far. */
  get count(): number {
    return this.#next;
  }

  beginHop(): void {
    this.#places = new Map();
  }

  /** @param numbering `upstream`: a call that is new stands where the upstream says; `ours`: behind those so far */
  place({ index }: ChunkCall, numbering: 'upstream' | 'ours'): void {
    if (this.#places.has(index)) return;
    const place = numbering === 'ours' ? this.#next : index - FIRST_CALL;
    this.#places.set(index, place);
    this.#next = Math.max(this.#next, place + 1);
  }

  placeOf({ index }: ChunkCall): number | undefined {
    return this.#places.get(index);
  }
}
