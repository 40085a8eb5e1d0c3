/**
 * Joins two values of one member, as JSON texts: what the earlier hop gave, then what the later one did. Texts and lists go one
 * behind the other; of anything else the later one counts.
 */
export function joinValues(earlier: string | undefined, later: string | undefined): string | undefined {
  if (isAbsent(earlier)) return later ?? earlier;
  if (isAbsent(later)) return earlier;
  if (isText(earlier) && isText(later)) return earlier.slice(0, -1) + later.slice(1);
  if (isList(earlier) && isList(later)) return joinLists(earlier, later);
  return later;
}

/** The same for `content`, which some servers give as a list of parts. */
export function joinContents(earlier: string | undefined, later: string | undefined): string | undefined {
  if (isAbsent(earlier) || isAbsent(later)) return joinValues(earlier, later);
  if (isList(earlier) === isList(later)) return joinValues(earlier, later);
  return joinValues(asParts(earlier), asParts(later));
}

function isAbsent(value: string | undefined): value is undefined | 'null' {
  return value === undefined || value === 'null';
}

function isText(value: string): boolean {
  return value.startsWith('"');
}

function isList(value: string): boolean {
  return value.startsWith('[');
}

function asParts(value: string): string {
  return isText(value) ? `[{"type":"text","text":${value}}]` : value;
}

/** @param earlier JSON lists, as `later` */
export function joinLists(earlier: string, later: string): string {
  const inner = [earlier, later].map((list) => list.slice(1, -1)).filter((list) => list.trim() !== '');
  return `[${inner.join(',')}]`;
}
