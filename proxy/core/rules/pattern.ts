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

function compileRe2(pattern: string): Matcher {
  const source = pattern.slice(1, -1);
  try {
    const compiled = RE2JS.compile(source);
    return (value) => compiled.matcher(value).find();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`pattern ${pattern} is not valid RE2: ${why}`, { cause: error });
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
