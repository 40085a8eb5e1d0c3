import {
  applyEdits,
  editElements,
  editMembers,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../../json/index.ts';
import type { Edit, MemberChanges, ObjectScan, Span } from '../../json/index.ts';
import type { DecodedItem, DecodedResponse, NameMaps, ResponseRewrite } from '../adapter.ts';
import { sumUsage } from '../sum-usage.ts';
import { scanChoices, scanInChoice } from './decode-response.ts';
import { fittingFinish } from './finish-reason.ts';
import { calledName, callForApp, itemOfMember, MESSAGE, REASONING, renameCall } from './items.ts';
import { joinContents, joinValues } from './join-values.ts';

/** The upstream's answer with what the app must not see taken out, and what earlier hops gave put in. */
export function encodeResponse(response: DecodedResponse, rewrite: ResponseRewrite): string {
  const { text } = response;
  const scan = scanObject(text);
  const [first, ...others] = scanChoices(text, scan);
  const usage = rewrite.usage.length > 1 ? { usage: JSON.stringify(sumUsage(rewrite.usage)) } : {};
  return applyEdits(text, [
    ...editMembers(text, scan, usage),
    ...(first === undefined ? [] : editChoice(response, first, rewrite)),
    ...others.flatMap((choice) => renameInChoice(text, choice, rewrite.names)),
  ]);
}

/** Of further choices only names change: with those nothing is rolled up. */
function renameInChoice(text: string, choice: Span, names: NameMaps): Edit[] {
  const message = names.backward.size === 0 ? undefined : scanInChoice(text, choice, 'message');
  return message === undefined
    ? []
    : callElements(text, message).flatMap((span) => renameAt(text, span, names));
}

function renameAt(text: string, span: Span, names: NameMaps): Edit[] {
  const name = calledName(parseJson(sliceSpan(text, span)));
  return name === undefined ? [] : renameCall(text, { start: span.start, name }, names);
}

function callElements(text: string, message: ObjectScan): readonly Span[] {
  const member = lastMember(message, 'tool_calls');
  return member === undefined || text[member.value.start] !== '['
    ? []
    : scanArray(text, member.value.start).elements;
}

function editChoice(response: DecodedResponse, choice: Span, rewrite: ResponseRewrite): Edit[] {
  const { text } = response;
  const message = scanInChoice(text, choice, 'message');
  if (message === undefined) return [];
  const calls = editCalls(response, message, rewrite);
  const members = { ...joinMembers(response, message, rewrite), ...calls.members };
  const scan = scanObject(text, choice.start);
  const stated = lastMember(scan, 'finish_reason');
  const finish = fittingFinish(
    stated === undefined ? undefined : parseJson(sliceSpan(text, stated.value)),
    calls,
  );
  return [
    ...calls.edits,
    ...editMembers(text, message, members),
    ...editMembers(text, scan, finish === undefined ? {} : { finish_reason: JSON.stringify(finish) }),
  ];
}

interface CallsEdit {
  readonly edits: readonly Edit[];
  readonly members: MemberChanges;
  readonly earlier: boolean;
  readonly own: boolean;
  readonly hidden: boolean;
}

function editCalls(
  { text, items }: DecodedResponse,
  message: ObjectScan,
  { shown, earlier, names }: ResponseRewrite,
): CallsEdit {
  const elements = callElements(text, message);
  const offset = items.length - elements.length;
  const kept = elements.flatMap((_, index) => (shown.has(offset + index) ? [index] : []));
  const given = earlier.filter(isCall).map((call) => callForApp(call.text, call.item, names));
  const told = { earlier: given.length > 0, own: kept.length > 0, hidden: kept.length < elements.length };
  if (told.earlier) {
    const own = kept.flatMap((index) => {
      const call = items[offset + index];
      return call === undefined ? [] : [callForApp(call.text, call.item, names)];
    });
    return {
      ...told,
      edits: [],
      members: { tool_calls: `[${[...given, ...own].map(renumbered).join(',')}]` },
    };
  }
  const list = lastMember(message, 'tool_calls');
  if (list === undefined || elements.length === 0) return { ...told, edits: [], members: {} };
  if (kept.length === 0) return { ...told, edits: [], members: { tool_calls: null } };
  const changes = elements.map((_, index) => (kept.includes(index) ? undefined : null));
  const renames = kept.flatMap((index) => renameAt(text, elements[index] ?? list.value, names));
  const removals = editElements(text, scanArray(text, list.value.start), changes);
  return { ...told, edits: [...removals, ...renames], members: {} };
}

function isCall({ item }: DecodedItem): boolean {
  return item.kind === 'call' || item.kind === 'other';
}

/** Some servers number the calls of a JSON answer too. */
function renumbered(call: string, index: number): string {
  if (!call.startsWith('{')) return call;
  const scan = scanObject(call);
  return lastMember(scan, 'index') === undefined
    ? call
    : applyEdits(call, editMembers(call, scan, { index: String(index) }));
}

/** What the message says and what servers add to it, over all hops, and with words of ours at the end. */
function joinMembers(
  { text, items }: DecodedResponse,
  message: ObjectScan,
  { shown, earlier, appended }: ResponseRewrite,
): MemberChanges {
  const given = new Map<string, string>();
  const put = (key: string, value: string): void => {
    given.set(key, join(key, given.get(key), value) ?? value);
  };
  for (const { item, text: own } of earlier) {
    if (item.kind === 'message' || item.kind === 'reasoning') {
      for (const { key, value } of scanObject(own).members) put(key, sliceSpan(own, value));
    }
  }
  const hidden = hiddenKinds(items, shown);
  const members: Record<string, string | null> = {};
  // Of a key that stands twice the last one counts, as for whoever read the items.
  for (const [key, { value }] of new Map(message.members.map((member) => [member.key, member]))) {
    const item = itemOfMember(key);
    if (item === undefined) continue;
    if (!hidden.has(item)) {
      if (given.has(key)) put(key, sliceSpan(text, value));
    } else if (!given.has(key)) members[key] = key === 'content' ? 'null' : null;
  }
  if (appended !== undefined) {
    const own = lastMember(message, 'content');
    if (!given.has('content') && own !== undefined && !hidden.has(MESSAGE))
      put('content', sliceSpan(text, own.value));
    put('content', JSON.stringify(appended));
  }
  return { ...members, ...Object.fromEntries(given) };
}

function join(key: string, earlier: string | undefined, later: string): string | undefined {
  return key === 'content' ? joinContents(earlier, later) : joinValues(earlier, later);
}

/** Which of the message's own items the app does not get. */
function hiddenKinds(items: readonly DecodedItem[], shown: ReadonlySet<number>): ReadonlySet<number> {
  const hidden = new Set<number>();
  items.forEach(({ item }, index) => {
    if (shown.has(index)) return;
    if (item.kind === 'reasoning') hidden.add(REASONING);
    if (item.kind === 'message') hidden.add(MESSAGE);
  });
  return hidden;
}
