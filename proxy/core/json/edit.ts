import type { ArrayScan, Member, ObjectScan, Span } from './scan.ts';

/** One replacement in a text. An empty span inserts, an empty replacement removes. */
export interface Edit extends Span {
  readonly text: string;
}

/**
 * Puts the edits into the text and leaves every other character as it stands.
 *
 * @param edits in any order; they must not overlap
 * @throws RangeError if two edits overlap, since one of them would be lost
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  const ordered = edits.length === 1 ? edits : [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let at = 0;
  for (const edit of ordered) {
    if (edit.start < at) throw new RangeError(`edits overlap at ${String(edit.start)}`);
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** What becomes of a member: its new value as JSON text, or `null` to take it out. */
export type MemberChanges = Readonly<Record<string, string | null>>;

/**
 * The edits that set, add or remove members of an object.
 *
 * Where a key stands several times, every occurrence is changed alike: which of them a server reads is its own
 * affair, and a value that a rule has changed must not survive in another one.
 *
 * @param dropped indexes of members that go whatever their key
 */
export function editMembers(
  text: string,
  scan: ObjectScan,
  changes: MemberChanges,
  dropped: ReadonlySet<number> = new Set(),
): Edit[] {
  const edits: Edit[] = [];
  const removed = new Set<Member>(scan.members.filter((_, index) => dropped.has(index)));
  const missing = new Map<string, string>();
  for (const [key, value] of Object.entries(changes)) {
    const found = scan.members.filter((member) => member.key === key && !removed.has(member));
    for (const member of found) {
      if (value === null) removed.add(member);
      else if (text.slice(member.value.start, member.value.end) !== value) {
        edits.push({ ...member.value, text: value });
      }
    }
    if (found.length === 0 && value !== null) missing.set(key, value);
  }
  edits.push(...removeMembers(scan, removed));
  if (missing.size > 0) edits.push(addMembers(scan, removed, missing));
  return edits;
}

/** Each removed member goes with one comma: the one after it, or the one before it at the end. */
function removeMembers(scan: ObjectScan, removed: ReadonlySet<Member>): Edit[] {
  return removeListed(
    scan.members.map((member) => ({ start: member.keyStart, end: member.value.end })),
    (index) => {
      const member = scan.members[index];
      return member !== undefined && removed.has(member);
    },
  );
}

function addMembers(
  scan: ObjectScan,
  removed: ReadonlySet<Member>,
  missing: ReadonlyMap<string, string>,
): Edit {
  const added = [...missing].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',');
  const last = scan.members.at(-1);
  if (last === undefined) return { start: scan.span.start + 1, end: scan.span.start + 1, text: added };
  const alone = removed.size === scan.members.length;
  return { start: last.value.end, end: last.value.end, text: alone ? added : `,${added}` };
}

/** What becomes of each element of an array: `null` takes it out, a text replaces it. */
export type ElementChange = string | null | undefined;

/**
 * The edits that change, remove and append elements of an array; `undefined` leaves an element as it stands.
 *
 * @param changes by index; may be shorter than the array
 * @param insertions texts of new elements, each before the element of its index (or at the end)
 */
export function editElements(
  text: string,
  scan: ArrayScan,
  changes: readonly ElementChange[],
  insertions: readonly { readonly before: number; readonly text: string }[] = [],
): Edit[] {
  const { elements } = scan;
  const kept = (index: number): boolean => changes[index] !== null;
  const edits: Edit[] = removeListed(elements, (index) => !kept(index));
  elements.forEach((element, index) => {
    const change = changes[index];
    if (change == null || text.slice(element.start, element.end) === change) return;
    edits.push({ ...element, text: change });
  });
  return insertions.length === 0 ? edits : [...edits, ...insertElements(scan, kept, insertions)];
}

function insertElements(
  scan: ArrayScan,
  kept: (index: number) => boolean,
  insertions: readonly { readonly before: number; readonly text: string }[],
): Edit[] {
  const keptIndexes = scan.elements.map((_, index) => index).filter(kept);
  const groups = new Map<number, string[]>();
  for (const insertion of insertions) {
    const target = keptIndexes.find((index) => index >= insertion.before) ?? scan.elements.length;
    groups.set(target, [...(groups.get(target) ?? []), insertion.text]);
  }
  return [...groups].map(([target, texts]) => {
    const joined = texts.join(',');
    const next = scan.elements[target];
    if (next !== undefined) return { start: next.start, end: next.start, text: `${joined},` };
    const last = scan.elements.at(-1);
    const at = last?.end ?? scan.span.start + 1;
    return { start: at, end: at, text: keptIndexes.length > 0 ? `,${joined}` : joined };
  });
}

/**
 * Removes entries of a comma-separated list. A run of removed entries goes from its own start to the start of the
 * next kept one; at the end, from the end of the last kept one. So the spacing of what stays is untouched.
 */
function removeListed(entries: readonly Span[], isRemoved: (index: number) => boolean): Edit[] {
  const edits: Edit[] = [];
  let index = 0;
  while (index < entries.length) {
    if (!isRemoved(index)) {
      index += 1;
      continue;
    }
    const first = index;
    while (index < entries.length && isRemoved(index)) index += 1;
    const start = entries[first]?.start ?? 0;
    const next = entries[index];
    const previous = entries[first - 1];
    const last = entries[index - 1];
    if (next !== undefined) edits.push({ start, end: next.start, text: '' });
    else if (previous !== undefined)
      edits.push({ start: previous.end, end: last?.end ?? previous.end, text: '' });
    else edits.push({ start, end: last?.end ?? start, text: '' });
  }
  return edits;
}
