/**
 * The items of the app's stream over all hops: where each stands, under which id, and as which text. What the last event
 * repeats is read from here, so that it fits what the app has seen.
 */
export class AppItems {
  /** Places in the app's stream by the item's index in the current hop. */
  #places = new Map<number, number>();
  readonly #ids = new Map<number, string>();
  readonly #texts = new Map<number, string>();
  #next = 0;

  beginHop(): void {
    this.#places = new Map();
  }

  /** The place behind all items so far. */
  append(): number {
    const place = this.#next;
    this.#next += 1;
    return place;
  }

  /** @param numbering `upstream`: an item that is new stands where the upstream says; `ours`: behind those so far */
  place(index: number, numbering: 'upstream' | 'ours'): number {
    const known = this.#places.get(index);
    if (known !== undefined) return known;
    const place = numbering === 'ours' ? this.#next : index;
    this.#places.set(index, place);
    this.#next = Math.max(this.#next, place + 1);
    return place;
  }

  /** The id that the app knows an item by: its first. Official clients take another one for an error. */
  firstId(place: number, id: string): string {
    const first = this.#ids.get(place) ?? id;
    this.#ids.set(place, first);
    return first;
  }

  idAt(place: number): string | undefined {
    return this.#ids.get(place);
  }

  /** The latest text of an item is the one that counts. */
  record(place: number, text: string): void {
    this.#texts.set(place, text);
  }

  /** All items as the app has them, in the order of their places. */
  texts(): string[] {
    return [...this.#texts].sort(([a], [b]) => a - b).map(([, text]) => text);
  }
}
