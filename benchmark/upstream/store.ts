/** Responses and items that the stand-in gave out, in memory; the oldest go first. */
import type { JsonObject } from './json-value.ts';
import type { KnownItem } from './wire/index.ts';

/** A response that can be looked up. */
export interface StoredResponse {
  readonly response: JsonObject;
  /** The items sent with the request. */
  readonly input: readonly JsonObject[];
  /** Everything that a follow-up continues: chain, input, output. */
  readonly context: readonly JsonObject[];
}

/** What the store keeps at most. */
const mostResponses = 1_000;
const mostItems = 20_000;

/** The store of one server. */
export class Store {
  readonly #responses = new Map<string, StoredResponse>();
  readonly #items = new Map<string, KnownItem>();

  /** Remembers the output items of an answer, and the answer itself where it is to be stored. */
  keep(
    id: string,
    entry: StoredResponse,
    output: { readonly items: readonly JsonObject[]; readonly stored: boolean },
  ): void {
    let reasoningId: string | undefined;
    for (const item of output.items) {
      const itemId = String(item['id']);
      this.#items.set(itemId, { item, stored: output.stored, reasoningId });
      reasoningId = item['type'] === 'reasoning' ? itemId : undefined;
    }
    if (output.stored) this.#responses.set(id, entry);
    trim(this.#responses, mostResponses);
    trim(this.#items, mostItems);
  }

  /** The stored response of that id. */
  get(id: string): StoredResponse | undefined {
    return this.#responses.get(id);
  }

  /** Replaces a stored response, as cancelling does. */
  set(id: string, entry: StoredResponse): void {
    this.#responses.set(id, entry);
  }

  /** Forgets a response; false where there was none. */
  delete(id: string): boolean {
    return this.#responses.delete(id);
  }

  /** An output item by its id. */
  findItem(id: string): KnownItem | undefined {
    return this.#items.get(id);
  }
}

function trim(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
