import { isAlias, isMap, isPair, isScalar, isSeq } from 'yaml';
import type { Alias, Document, YAMLMap } from 'yaml';
import { pointerTo } from './fault.ts';

/** Something in a YAML document that has no safe plain value. */
export interface ValueProblem {
  readonly pointer: string;
  /** Where in the text, in UTF-16 units; `undefined` where the parser kept none. */
  readonly offset: number | undefined;
  readonly message: string;
}

/** Keys that reach the prototype of an object when someone copies them carelessly. */
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** More than any rule set needs, and little enough that no document can exhaust the stack or the memory. */
const maxDepth = 100;
const maxValues = 200_000;

/**
 * Turns a parsed YAML document into plain values. Done here and not by the parser, so that every refusal has a
 * place: forbidden and duplicate keys, keys that are no text, numbers that JSON cannot hold, aliases that grow or
 * go round in circles.
 */
export function toPlainValue(document: Document): { value: unknown; problems: readonly ValueProblem[] } {
  const reader = new PlainReader(document);
  return { value: reader.read(document.contents, '', 0), problems: reader.problems };
}

class PlainReader {
  readonly problems: ValueProblem[] = [];
  private readonly document: Document;
  private values = 0;

  constructor(document: Document) {
    this.document = document;
  }

  read(node: unknown, pointer: string, depth: number): unknown {
    this.values += 1;
    if (this.values > maxValues) return this.refuse(node, pointer, tooMany);
    if (depth > maxDepth)
      return this.refuse(node, pointer, `is nested more than ${String(maxDepth)} levels deep`);
    if (isAlias(node)) return this.readAlias(node, pointer, depth);
    if (isMap(node)) return this.readMap(node, pointer, depth);
    if (isSeq(node))
      return node.items.map((item, index) => this.read(item, pointerTo(pointer, index), depth + 1));
    if (!isScalar(node)) return null;
    const { value } = node;
    if (typeof value === 'number' && !Number.isFinite(value)) {
      return this.refuse(node, pointer, 'is a number that JSON cannot hold');
    }
    return value;
  }

  private readAlias(alias: Alias, pointer: string, depth: number): unknown {
    const target = alias.resolve(this.document);
    if (target === undefined)
      return this.refuse(alias, pointer, `names the anchor '${alias.source}', which is not set`);
    // A circle of aliases ends at the depth limit.
    return this.read(target, pointer, depth + 1);
  }

  private readMap(map: YAMLMap, pointer: string, depth: number): unknown {
    const entries = new Map<string, unknown>();
    for (const pair of map.items) {
      if (!isPair(pair)) continue;
      const key = isAlias(pair.key) ? pair.key.resolve(this.document) : pair.key;
      if (!isScalar(key)) {
        this.refuse(pair.key, pointer, 'has a key that is not plain text');
        continue;
      }
      const name = String(key.value);
      const at = pointerTo(pointer, name);
      if (forbiddenKeys.has(name)) this.refuse(pair.key, at, `the key '${name}' is refused, it is not safe`);
      else if (entries.has(name)) this.refuse(pair.key, at, `the key '${name}' stands here twice`);
      else entries.set(name, this.read(pair.value, at, depth + 1));
    }
    return Object.fromEntries(entries);
  }

  private refuse(node: unknown, pointer: string, message: string): null {
    if (message === tooMany && this.problems.some((problem) => problem.message === tooMany)) return null;
    this.problems.push({ pointer, offset: offsetOf(node), message });
    return null;
  }
}

const tooMany = `holds more than ${String(maxValues)} values, aliases counted where they are used`;

/** Where a node begins in the text. */
export function offsetOf(node: unknown): number | undefined {
  if (isMap(node) || isSeq(node) || isScalar(node) || isAlias(node)) return node.range?.[0];
  return undefined;
}
