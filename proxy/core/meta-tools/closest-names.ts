import { distance } from 'fastest-levenshtein';

/** How many of the nearest names an unknown one is answered with. */
const CLOSEST_NAMES = 5;
/** Longer than any name can be; what is beyond is not worth comparing. */
const MAX_NAME_LENGTH = 128;

/** Says that a name is not known and which known ones are nearest to it, in one sentence each. */
export function explainUnknownName(what: 'tool' | 'skill', name: string, known: Iterable<string>): string {
  const shown = JSON.stringify(name.slice(0, MAX_NAME_LENGTH));
  const closest = closestNames(name, known);
  if (closest.length === 0) return `There is no ${what} ${shown}.`;
  return `There is no ${what} ${shown}. The closest names: ${closest.join(', ')}.`;
}

function closestNames(name: string, known: Iterable<string>): string[] {
  const wanted = name.slice(0, MAX_NAME_LENGTH).toLowerCase();
  return [...known]
    .map((key) => ({ key, apart: distance(wanted, key.toLowerCase()) }))
    .sort((a, b) => a.apart - b.apart)
    .slice(0, CLOSEST_NAMES)
    .map(({ key }) => key);
}
