/**
 * Models without tools of their own. A model is one where its name starts with `text-`; words right after it say more:
 * - `text-json-…` writes a call as a fenced JSON object, whatever it was told;
 * - `text-strict-…` (also `text-json-strict-…`) takes one system message only, at the very beginning.
 */

/** How such a model behaves. */
export interface TextTraits {
  /** How it writes a call. */
  readonly format: 'tags' | 'fenced';
  /** One system message only, first. */
  readonly strict: boolean;
}

/** The traits of a model by its name; undefined where it has tools of its own. */
export function traitsOf(model: string): TextTraits | undefined {
  const [first, ...words] = model.split('-');
  if (first !== 'text' || words.length === 0) return undefined;
  const traits = words.slice(0, 2);
  return {
    format: words[0] === 'json' ? 'fenced' : 'tags',
    strict: traits.includes('strict') && (words[0] === 'strict' || words[0] === 'json'),
  };
}
