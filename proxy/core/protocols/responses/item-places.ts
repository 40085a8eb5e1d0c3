/**
 * Finds out which item an event means. OpenAI says it by `output_index`; other servers leave that out, use one index for
 * two items, or give each event of an item another id (seen on LiteLLM, Copilot's and llama.cpp's servers).
 */
export class ItemPlaces {
  readonly #byGiven = new Map<number, number>();
  readonly #byId = new Map<string, number>();
  /** `output_index` values that more than one item has had. */
  readonly #shared = new Set<number>();
  readonly #taken = new Set<number>();
  readonly #open = new Set<number>();
  #last: number | undefined;
  /** One above the highest place taken. */
  #next = 0;

  /** All items told of so far, in their order. */
  get all(): readonly number[] {
    return [...this.#taken].sort((a, b) => a - b);
  }

  isOpen(index: number): boolean {
    return this.#open.has(index);
  }

  /** An item begins. An event that says so twice means the same item. */
  begin(given: number | undefined, id: string | undefined): number {
    const known = given === undefined ? undefined : this.#byGiven.get(given);
    if (known !== undefined && id !== undefined && this.#open.has(known) && this.#byId.get(id) === known)
      return known;
    if (given !== undefined && known !== undefined) this.#shared.add(given);
    const index = given === undefined || this.#taken.has(given) ? this.#next : given;
    this.#next = Math.max(this.#next, index + 1);
    if (given !== undefined) this.#byGiven.set(given, index);
    if (id !== undefined) this.#byId.set(id, index);
    this.#taken.add(index);
    this.#open.add(index);
    this.#last = index;
    return index;
  }

  /** An item ends: one that has begun, or one that is told of for the first time. */
  end(given: number | undefined, id: string | undefined): number {
    const index =
      this.#named(given, id) ?? (given === undefined ? this.#lastOpen() : undefined) ?? this.begin(given, id);
    this.#open.delete(index);
    return index;
  }

  /** The item that an event inside of one means; `undefined` if it means none that is known. */
  find(given: number | undefined, id: string | undefined): number | undefined {
    return this.#named(given, id) ?? (given === undefined && id !== undefined ? this.#last : undefined);
  }

  #named(given: number | undefined, id: string | undefined): number | undefined {
    const byGiven = given === undefined ? undefined : this.#byGiven.get(given);
    if (given !== undefined && byGiven !== undefined && !this.#shared.has(given)) return byGiven;
    return (id === undefined ? undefined : this.#byId.get(id)) ?? byGiven;
  }

  #lastOpen(): number | undefined {
    return this.#last !== undefined && this.#open.has(this.#last) ? this.#last : undefined;
  }
}
