import { RE2JS } from 're2js';

/** A pattern of a rule, ready to use. */
export type Matcher = (value: string) => boolean;

/**
 * Compiles a pattern: RE2 where it is written `/…/` (linear in the input, so no pattern can hang a turn), a glob where it holds
 * `*`, and the exact string otherwise.
 *
 * @throws Error with a sentence about the pattern, if RE2 does not accept it
 */
export function compilePattern(pattern: string): Matcher {
  if (pattern.length > 1 && pattern.startsWith('/') && pattern.endsWith('/')) return compileRe2(pattern);
  if (pattern.includes('*')) return compileGlob(pattern);
  return (value) => value === pattern;
}

/** True if any of the matchers takes the value. */
export function matchesAny(matchers: readonly Matcher[], value: string): boolean {
  return matchers.some((matcher) => matcher(value));
}

interface Compiled {
  readonly matcher: Matcher;
  /** In RE2's instructions, each of which takes some 400 bytes. */
  readonly size: number;
}

/** Enough for a thousand patterns of the usual length, in about 13 MB. */
const maxRememberedSize = 32_768;

/**
 * The RE2 patterns compiled last, by their text: each is compiled where rules are checked and again where they are made
 * ready, and most of a new revision's stood in the one before it. They keep nothing of what they were matched against.
 */
const remembered = new Map<string, Compiled>();
let rememberedSize = 0;

function compileRe2(pattern: string): Matcher {
  const known = remembered.get(pattern);
  if (known !== undefined) return known.matcher;
  const compiled = compileAnew(pattern);
  remember(pattern, compiled);
  return compiled.matcher;
}

function compileAnew(pattern: string): Compiled {
  try {
    const compiled = RE2JS.compile(pattern.slice(1, -1));
    return { matcher: (value) => compiled.matcher(value).find(), size: compiled.programSize() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`pattern ${pattern} is not valid RE2: ${why}`, { cause: error });
  }
}

/** One that fills the memory alone is compiled each time. */
function remember(pattern: string, compiled: Compiled): void {
  if (compiled.size > maxRememberedSize / 8) return;
  remembered.set(pattern, compiled);
  rememberedSize += compiled.size;
  for (const [oldest, { size }] of remembered) {
    if (rememberedSize <= maxRememberedSize) return;
    remembered.delete(oldest);
    rememberedSize -= size;
  }
}

/** Prefix, suffix, and what stands between in order: no backtracking, since the first fit of each piece is the best. */
function compileGlob(pattern: string): Matcher {
  const pieces = pattern.split('*');
  const prefix = pieces[0] ?? '';
  const suffix = pieces.at(-1) ?? '';
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '');
  return (value) => {
    if (value.length < prefix.length + suffix.length) return false;
    if (!value.startsWith(prefix) || !value.endsWith(suffix)) return false;
    const end = value.length - suffix.length;
    let at = prefix.length;
    for (const piece of middle) {
      const found = value.indexOf(piece, at);
      if (found === -1 || found + piece.length > end) return false;
      at = found + piece.length;
    }
    return true;
  };
}
