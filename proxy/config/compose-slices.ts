import { isSeq, visit } from 'yaml';
import type { CST, Composer, Document, YAMLSeq } from 'yaml';
import type { Steps } from './pace.ts';
import { offsetOf } from './plain-values.ts';

type List = CST.BlockSequence | CST.FlowCollection;

/** What was taken out of the middle of a list. `Slice`: its entries, a few at a time. */
interface Cut<Slice> {
  readonly list: List;
  /** Where in the text the first of them begins. */
  readonly offset: number;
  readonly slices: readonly Slice[];
}

/** Which of the composer's documents belong to one of the text. They come in the order of this tree. */
interface Plan {
  readonly cuts: readonly Cut<Plan>[];
}

/** Composing so many rules takes about half a millisecond. */
const sliceLength = 8;

/** What follows a list is placed by where it ends, so its end stays: the last entry and what may trail behind it. */
const tailLength = 2;

/**
 * Makes documents of the parser's tokens, as `Composer.compose` does. The composer takes each document in one go, which
 * holds up everything else for tens of milliseconds where it is long; so long lists are composed a few entries at a
 * time, as if these were documents of their own, and put together afterwards. The tokens are used up by it.
 *
 * What directives and tags say reaches down into lists: not for a text that holds any.
 */
export function* composeInSlices(tokens: readonly CST.Token[], composer: Composer): Steps<Document[]> {
  const plans: Plan[] = [];
  const composed: Document[] = [];
  for (const token of tokens) {
    if (token.type === 'document') plans.push(yield* composeDocument(token, composer, composed));
    else composed.push(...composer.next(token));
  }
  composed.push(...composer.end());
  const made = composed.values();
  const documents: Document[] = [];
  for (const plan of plans) {
    const document = assemble(plan, made);
    if (document !== undefined) documents.push(document);
    yield;
  }
  return documents;
}

function* composeDocument(token: CST.Document, composer: Composer, composed: Document[]): Steps<Plan> {
  const found = cutLongLists(token);
  composed.push(...composer.next(token));
  yield;
  const cuts: Cut<Plan>[] = [];
  for (const { list, offset, slices } of found) {
    const plans: Plan[] = [];
    for (const slice of slices) plans.push(yield* composeDocument(slice, composer, composed));
    cuts.push({ list, offset, slices: plans });
  }
  return { cuts };
}

/** Takes the documents of a plan and puts them into the first of them, with all that was said of them. */
function assemble(plan: Plan, made: Iterator<Document>): Document | undefined {
  const next = made.next();
  if (next.done === true) return undefined;
  const document = next.value;
  if (plan.cuts.length === 0) return document;
  const lists = listsByOffset(document);
  const before = document.errors.length;
  for (const { list, offset, slices } of plan.cuts) {
    const items: unknown[] = [];
    for (const slice of slices) {
      const part = assemble(slice, made);
      if (isSeq(part?.contents)) items.push(...part.contents.items);
      document.errors.push(...(part?.errors ?? []));
      document.warnings.push(...(part?.warnings ?? []));
    }
    const whole = lists.get(list.offset)?.items ?? [];
    const tail = whole.findIndex((item) => (offsetOf(item) ?? 0) > offset);
    whole.splice(tail === -1 ? whole.length : tail, 0, ...items);
  }
  // As the composer has them they stand in a good order, if not quite in that of the text.
  if (document.errors.length > before) document.errors.sort((a, b) => a.pos[0] - b.pos[0]);
  return document;
}

/** No two lists begin at one place. */
function listsByOffset(document: Document): ReadonlyMap<number, YAMLSeq> {
  const lists = new Map<number, YAMLSeq>();
  visit(document, {
    Seq: (_key, list) => {
      if (list.range) lists.set(list.range[0], list);
    },
  });
  return lists;
}

/** Leaves each long list its two ends. Lists inside of what was taken out are cut when their turn comes. */
function cutLongLists(document: CST.Document): Cut<CST.Document>[] {
  const cuts: Cut<CST.Document>[] = [];
  const open = [document.value];
  while (open.length > 0) {
    const token = open.pop();
    if (token?.type !== 'block-map' && token?.type !== 'block-seq' && token?.type !== 'flow-collection')
      continue;
    const cut = token.type === 'block-map' ? undefined : cutList(token);
    if (cut !== undefined) cuts.push(cut);
    for (const { value } of token.items) open.push(value);
  }
  return cuts;
}

function cutList(list: List): Cut<CST.Document> | undefined {
  if (list.items.length < 2 * sliceLength) return undefined;
  const slices: CST.Document[] = [];
  if (list.type === 'block-seq') {
    if (!isSoundBlock(list)) return undefined;
    for (const items of takeMiddle(list.items)) {
      slices.push(documentOf({ ...list, offset: items[0]?.start[0]?.offset ?? list.offset, items }));
    }
  } else {
    if (!isSoundFlow(list)) return undefined;
    for (const [first, ...others] of takeMiddle(list.items)) {
      if (first === undefined) continue;
      // The comma before the first entry stands where a list of its own has its bracket.
      const comma = first.start.find(isComma);
      const start = first.start.filter((token) => !isComma(token));
      const items = [{ ...first, start }, ...others];
      slices.push(
        documentOf({ ...list, offset: comma?.offset ?? list.offset, items, end: list.end.slice(0, 1) }),
      );
    }
  }
  return { list, offset: slices[0]?.offset ?? list.offset, slices };
}

/** Removes all but the ends of a list, and gives it in slices. */
function takeMiddle<Item>(items: Item[]): Item[][] {
  const middle = items.splice(sliceLength, items.length - sliceLength - tailLength);
  const slices: Item[][] = [];
  for (let at = 0; at < middle.length; at += sliceLength) slices.push(middle.slice(at, at + sliceLength));
  return slices;
}

/** Whether each entry has its dash. Where one has not, the composer is to say what is amiss. */
function isSoundBlock({ items }: CST.BlockSequence): boolean {
  return items.slice(0, -1).every(({ start }) => start.some(({ type }) => type === 'seq-item-ind'));
}

/** Whether a flow list is closed, its entries with one comma between them and none empty. */
function isSoundFlow({ start, items, end }: CST.FlowCollection): boolean {
  if (start.source !== '[' || end[0]?.source !== ']') return false;
  return items.slice(0, -1).every(({ start: before, key, sep, value }, index) => {
    const commas = before.filter(isComma).length;
    return (key ?? sep ?? value) != null && commas === (index === 0 ? 0 : 1);
  });
}

function isComma({ type }: CST.SourceToken): boolean {
  return type === 'comma';
}

function documentOf(value: List): CST.Document {
  return { type: 'document', offset: value.offset, start: [], value };
}
