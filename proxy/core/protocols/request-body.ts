import { endsAt, isJsonArray, parseJson, RecentValues, scanObject, sliceSpan } from '../json/index.ts';
import type { JsonObject, ObjectScan, Span } from '../json/index.ts';

/** The body of a request: what its members say, and where they stand. */
export type RequestBody =
  | { readonly kind: 'body'; readonly body: JsonObject; readonly scan: ObjectScan }
  | { readonly kind: 'not_a_turn'; readonly reason: 'not_json' | 'not_an_object' };

/** What of one object is not to be sent. */
export interface OverruledMembers {
  readonly scan: ObjectScan;
  /** Indexes of its members. */
  readonly dropped: ReadonlySet<number>;
}

/**
 * Reads every member, but for tools that were read lately: they are most of a body, and the same in each turn.
 *
 * A value is read by `JSON.parse`, so together with the scan of what is between them all of the body is checked.
 */
export class BodyReader {
  /** Large arrays of tools that were read lately. */
  readonly #knownTools = new RecentValues();
  readonly #isReadTools: (text: string) => boolean;

  /** @param isReadTools true for the text of an array of tools that has been read and is remembered */
  constructor(isReadTools: (text: string) => boolean) {
    this.#isReadTools = isReadTools;
  }

  read(text: string): RequestBody {
    if (!/^\s*\{/.test(text)) {
      return { kind: 'not_a_turn', reason: parseJson(text) === undefined ? 'not_json' : 'not_an_object' };
    }
    try {
      const scan = scanObject(text, 0, { known: { key: 'tools', values: this.#knownTools } });
      if (!endsAt(text, scan.span.end)) return { kind: 'not_a_turn', reason: 'not_json' };
      const body = new Map<string, unknown>();
      for (const { key, value } of scan.members) body.set(key, this.#readMember(text, key, value));
      return { kind: 'body', body: Object.fromEntries(body), scan };
    } catch (error) {
      if (error instanceof SyntaxError) return { kind: 'not_a_turn', reason: 'not_json' };
      throw error;
    }
  }

  #readMember(text: string, key: string, value: Span): unknown {
    const own = sliceSpan(text, value);
    // Whether the tools are an array is all that is asked of them here.
    if (key === 'tools' && this.#isReadTools(own)) return [];
    const parsed: unknown = JSON.parse(own);
    if (key === 'tools' && isJsonArray(parsed)) this.#knownTools.note(text, value);
    return parsed;
  }
}

/**
 * Indexes of the members that a later one of the same key overrules.
 *
 * @param keys those that we read; what stands under others is the upstream's affair
 */
export function overruledIn({ members }: ObjectScan, keys: ReadonlySet<string>): ReadonlySet<number> {
  const dropped = new Set<number>();
  const latest = new Map<string, number>();
  members.forEach(({ key }, index) => {
    if (!keys.has(key)) return;
    const earlier = latest.get(key);
    if (earlier !== undefined) dropped.add(earlier);
    latest.set(key, index);
  });
  return dropped;
}
