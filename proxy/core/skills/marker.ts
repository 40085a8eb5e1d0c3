/** How a marker begins. Kept apart from the rest, since it is what requests are searched for. */
const OPENING = '<!-- @skill:';
const CLOSING = '-->';
/** More than a name and the blanks around it can have; what is longer is some other comment. */
const MAX_INSIDE = 400;
/** What stands between an answer's own text and its markers, and goes with them. */
const GAP = '\n\n';

/** The part of a marker that no blank can change; a text without it has no marker. */
export const markerSign = '@skill:';

/** The invisible note that an answer was given with a skill: the memory between turns, kept by the app. */
export function marker(name: string): string {
  return `${OPENING}${name} ${CLOSING}`;
}

/** What ends the text of an answer whose turn loaded these skills: the gap and the marker of each. */
export function endingMarkers(names: readonly string[]): string {
  return names.map((name) => GAP + marker(name)).join('');
}

/** A text without its markers, and the names they held, in order. */
export interface StrippedText {
  readonly text: string;
  readonly names: readonly string[];
}

/**
 * Takes every marker out of a text, each with the gap that {@link endingMarkers} put before it, so that the text is
 * again what the model wrote. Linear in the text, whatever stands in it.
 */
export function stripMarkers(text: string): StrippedText {
  const names: string[] = [];
  let kept = '';
  let from = 0;
  let closing = -1;
  for (let at = text.indexOf(OPENING); at !== -1;) {
    const inside = at + OPENING.length;
    if (closing < inside) closing = text.indexOf(CLOSING, inside);
    if (closing === -1) break;
    const name = readName(text, inside, closing);
    if (name !== undefined) {
      const end = closing + CLOSING.length;
      const gap = at - GAP.length >= from && text.startsWith(GAP, at - GAP.length) ? GAP.length : 0;
      kept += text.slice(from, at - gap);
      from = end;
      names.push(name);
    }
    at = text.indexOf(OPENING, name === undefined ? inside : from);
  }
  return names.length === 0 ? { text, names } : { text: kept + text.slice(from), names };
}

function readName(text: string, start: number, end: number): string | undefined {
  if (end - start > MAX_INSIDE) return undefined;
  const inside = text.slice(start, end);
  const name = inside.trim();
  return name === '' || /[\r\n]|<!--/.test(inside) ? undefined : name;
}
