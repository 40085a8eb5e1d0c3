/** A short text that a regular expression accepts, for the patterns that schemas use. */

interface Cursor {
  readonly pattern: string;
  at: number;
}

/** A text that matches the pattern, or undefined where the pattern is beyond this sampler. */
export function sampleOf(pattern: string): string | undefined {
  const cursor: Cursor = { pattern, at: 0 };
  const sample = alternatives(cursor);
  if (cursor.at < pattern.length) return undefined;
  try {
    return new RegExp(pattern, 'u').test(sample) ? sample : undefined;
  } catch {
    return undefined;
  }
}

/** Takes the first alternative, walks past the others. */
function alternatives(cursor: Cursor): string {
  const first = sequence(cursor);
  while (cursor.pattern[cursor.at] === '|') {
    cursor.at += 1;
    sequence(cursor);
  }
  return first;
}

function sequence(cursor: Cursor): string {
  let out = '';
  while (cursor.at < cursor.pattern.length && !'|)'.includes(cursor.pattern.charAt(cursor.at))) {
    const piece = atom(cursor);
    out += piece.repeat(repeats(cursor));
  }
  return out;
}

function atom(cursor: Cursor): string {
  const character = cursor.pattern.charAt(cursor.at);
  cursor.at += 1;
  switch (character) {
    case '^':
    case '$':
      return '';
    case '.':
      return 'a';
    case '\\':
      return escaped(cursor);
    case '[':
      return characterClass(cursor);
    case '(':
      return group(cursor);
    default:
      return character;
  }
}

function escaped(cursor: Cursor): string {
  const character = cursor.pattern.charAt(cursor.at);
  cursor.at += 1;
  const samples: Readonly<Record<string, string>> = { d: '1', w: 'a', s: ' ', D: 'a', W: '-', S: 'a', b: '' };
  return samples[character] ?? character;
}

function group(cursor: Cursor): string {
  const kind = /^\?(?::|<\w+>)/.exec(cursor.pattern.slice(cursor.at));
  cursor.at += kind?.[0].length ?? 0;
  const inner = alternatives(cursor);
  cursor.at += 1;
  return inner;
}

function characterClass(cursor: Cursor): string {
  const end = /^\^?\]?(?:\\.|[^\]\\])*\]/.exec(cursor.pattern.slice(cursor.at))?.[0] ?? '';
  cursor.at += end.length;
  if (end === '') return '';
  try {
    const set = new RegExp(`^[${end}$`, 'u');
    return (
      ['a', 'A', '1', '0', 'x', 'X', ' ', '-', '_', '+', '.', '#'].find((sample) => set.test(sample)) ?? ''
    );
  } catch {
    return '';
  }
}

/** How often the atom before is said: as little as the quantifier allows, once where it allows none. */
function repeats(cursor: Cursor): number {
  const quantifier = /^(?:\?|\*|\+|\{(\d+)(?:,\d*)?\})\??/.exec(cursor.pattern.slice(cursor.at));
  if (quantifier === null) return 1;
  cursor.at += quantifier[0].length;
  if (quantifier[1] !== undefined) return Number(quantifier[1]);
  return quantifier[0].startsWith('+') ? 1 : 0;
}
