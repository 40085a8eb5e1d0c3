import {
  applyEdits,
  editMembers,
  isJsonArray,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../json/index.ts';
import type { ElementChange } from '../json/index.ts';
import { responseMarks } from './write-call.ts';

/** What a message says: text, or parts as JSON texts. */
export type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'parts'; readonly parts: readonly string[] };

/** One entry of the history as the model without tools gets it. */
export interface Entry {
  /** `undefined` for what is no message: nothing is joined across it. */
  readonly role: string | undefined;
  /** `app`: as the app sent it. `rewritten`: a call or a result of a call became words. */
  readonly origin: 'app' | 'rewritten';
  /** The message (JSON text); its content is replaced where the entry is rewritten or joined with another. */
  readonly text: string;
  readonly content: Content;
}

/** Makes a part of a content array that holds text, as JSON text. */
export type TextPart = (role: string, text: string) => string;

/** Reads a message's `content` member, or another one that holds text or parts. */
export function readContent(messageText: string, key = 'content'): Content {
  const member = lastMember(scanObject(messageText), key);
  const own = member === undefined ? undefined : sliceSpan(messageText, member.value);
  const value = own === undefined ? undefined : parseJson(own);
  if (typeof value === 'string') return { kind: 'text', text: value };
  if (own !== undefined && isJsonArray(value)) {
    return { kind: 'parts', parts: scanArray(own).elements.map((element) => sliceSpan(own, element)) };
  }
  // A result that is neither, an object say, is told as it was written.
  return { kind: 'text', text: own === undefined || value === null ? '' : own };
}

/** Contents one after the other; parts stay parts. */
export function joinContents(contents: readonly Content[], textPart: (text: string) => string): Content {
  const filled = contents.filter((content) => content.kind === 'parts' || content.text !== '');
  const texts = filled.flatMap((content) => (content.kind === 'text' ? [content.text] : []));
  if (texts.length === filled.length) return { kind: 'text', text: texts.join('\n') };
  const parts = filled.flatMap((content) =>
    content.kind === 'text' ? [textPart(content.text)] : content.parts,
  );
  return { kind: 'parts', parts };
}

/** A tool's result between its marks. */
export function markResult(
  content: Content,
  name: string | undefined,
  textPart: (text: string) => string,
): Content {
  const { start, end } = responseMarks(name);
  if (content.kind === 'text') return { kind: 'text', text: start + content.text + end };
  return { kind: 'parts', parts: [textPart(start), ...content.parts, textPart(end)] };
}

/** JSON text of a content. */
export function encodeContent(content: Content): string {
  return content.kind === 'text' ? JSON.stringify(content.text) : `[${content.parts.join(',')}]`;
}

/**
 * What becomes of each entry, so that roles go on alternating where a result or a call became words: such a message and its
 * neighbour of the same role are one. Messages of the app's own that repeat a role stay as they are.
 */
export function joinEntries(entries: readonly Entry[], textPart: TextPart): ElementChange[] {
  const changes = entries.map((): ElementChange => undefined);
  let first = 0;
  while (first < entries.length) {
    let next = first + 1;
    while (next < entries.length && belongTogether(entries[next - 1], entries[next])) next += 1;
    const group = entries.slice(first, next);
    if (group.length > 1 || group[0]?.origin === 'rewritten') {
      changes[first] = encodeGroup(group, textPart);
      changes.fill(null, first + 1, next);
    }
    first = next;
  }
  return changes;
}

function belongTogether(a: Entry | undefined, b: Entry | undefined): boolean {
  if (a === undefined || b === undefined || a.role !== b.role) return false;
  if (a.role !== 'user' && a.role !== 'assistant') return false;
  return a.origin === 'rewritten' || b.origin === 'rewritten';
}

/** The first message with the content of all; what only a later one says beside its content is kept too. */
function encodeGroup(group: readonly Entry[], textPart: TextPart): string {
  const role = group[0]?.role ?? '';
  const content = joinContents(
    group.map((entry) => entry.content),
    (text) => textPart(role, text),
  );
  const members: Record<string, string> = {};
  for (const { text } of group) {
    for (const { key, value } of scanObject(text).members) {
      if (!Object.hasOwn(members, key)) members[key] = sliceSpan(text, value);
    }
  }
  const base = group[0]?.text ?? '{}';
  return applyEdits(
    base,
    editMembers(base, scanObject(base), { ...members, content: encodeContent(content) }),
  );
}
