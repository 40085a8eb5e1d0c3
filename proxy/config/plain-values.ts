import { isAlias, isMap, isScalar, isSeq, visit } from 'yaml';
import type { Alias, Document, Node, YAMLMap, YAMLSeq } from 'yaml';
import { pointerTo } from './fault.ts';
import type { Steps } from './pace.ts';

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
export const maxDepth = 100;
const maxValues = 100_000;

/** So many take well under a millisecond. */
const valuesPerStep = 128;

/**
 * Turns a parsed YAML document into plain values, in steps. Done here and not by the parser, so that every refusal has a
 * place: forbidden and duplicate keys, keys that are no text, numbers that JSON cannot hold, aliases that grow or
 * go round in circles.
 */
export function* toPlainValue(
  document: Document,
): Steps<{ readonly value: unknown; readonly problems: readonly ValueProblem[] }> {
  const reader = new PlainReader(document);
  return { value: yield* reader.read(document.contents, '', 0), problems: reader.problems };
}

class PlainReader {
  readonly problems: ValueProblem[] = [];
  private readonly document: Document;
  private aliases: ReadonlyMap<Alias, Node> | undefined;
  /** The anchored nodes that are being read through an alias. */
  private readonly open = new Set<Node>();
  /** The alias in the text that led here; what is wrong inside is told there. */
  private through: { readonly alias: Alias; readonly pointer: string } | undefined;
  private values = 0;

  constructor(document: Document) {
    this.document = document;
  }

  *read(node: unknown, pointer: string, depth: number): Steps<unknown> {
    this.values += 1;
    if (this.values % valuesPerStep === 0) yield;
    if (this.values > maxValues) return this.refuseSize(node, pointer);
    if (depth > maxDepth)
      return this.refuse(node, pointer, `this is nested more than ${String(maxDepth)} levels deep`);
    if (isAlias(node)) return yield* this.readAlias(node, pointer, depth);
    if (isMap(node)) return yield* this.readMap(node, pointer, depth);
    if (isSeq(node)) return yield* this.readList(node, pointer, depth);
    if (!isScalar(node)) return null;
    const { value } = node;
    if (typeof value === 'number' && !Number.isFinite(value)) {
      return this.refuse(node, pointer, 'this is a number that JSON cannot hold');
    }
    return value;
  }

  /** Most documents have no alias: what each means is looked for at the first one only. */
  private targetOf(alias: Alias): Node | undefined {
    this.aliases ??= resolveAliases(this.document);
    return this.aliases.get(alias);
  }

  private *readAlias(alias: Alias, pointer: string, depth: number): Steps<unknown> {
    const target = this.targetOf(alias);
    if (target === undefined) return this.refuse(alias, pointer, `the anchor '${alias.source}' is not set`);
    if (this.open.has(target))
      return this.refuse(alias, pointer, `the alias '${alias.source}' stands inside itself`);
    const outermost = this.through === undefined;
    this.through ??= { alias, pointer };
    this.open.add(target);
    const value = yield* this.read(target, pointer, depth + 1);
    this.open.delete(target);
    if (outermost) this.through = undefined;
    return value;
  }

  private *readList(list: YAMLSeq, pointer: string, depth: number): Steps<unknown[]> {
    const values: unknown[] = [];
    for (const item of list.items)
      values.push(yield* this.read(item, pointerTo(pointer, values.length), depth + 1));
    return values;
  }

  private *readMap(map: YAMLMap, pointer: string, depth: number): Steps<unknown> {
    const entries = new Map<string, unknown>();
    for (const pair of map.items) {
      const key = isAlias(pair.key) ? this.targetOf(pair.key) : pair.key;
      if (!isScalar(key)) {
        this.refuse(pair.key, pointer, 'a key here is not plain text');
        continue;
      }
      const name = String(key.value);
      const at = pointerTo(pointer, name);
      if (forbiddenKeys.has(name)) this.refuse(pair.key, at, `the key '${name}' is refused, it is not safe`);
      else if (entries.has(name)) this.refuse(pair.key, at, `the key '${name}' stands here twice`);
      else entries.set(name, yield* this.read(pair.value, at, depth + 1));
    }
    return Object.fromEntries(entries);
  }

  /** Told once: everything that follows is too much as well. */
  private refuseSize(node: unknown, pointer: string): null {
    if (this.values > maxValues + 1) return null;
    const message = `the document holds more than ${String(maxValues)} values, aliases counted where they are used`;
    return this.refuse(node, pointer, message);
  }

  private refuse(node: unknown, pointer: string, message: string): null {
    const place = this.through ?? { alias: node, pointer };
    this.problems.push({ pointer: place.pointer, offset: offsetOf(place.alias), message });
    return null;
  }
}

/** What each alias means: the nearest anchor of its name before it. Found in one walk, however many there are. */
function resolveAliases(document: Document): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node: (_key, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target !== undefined) targets.set(node, target);
    },
  });
  return targets;
}

/** Where a node begins in the text. */
export function offsetOf(node: unknown): number | undefined {
  if (isMap(node) || isSeq(node) || isScalar(node) || isAlias(node)) return node.range?.[0];
  return undefined;
}
