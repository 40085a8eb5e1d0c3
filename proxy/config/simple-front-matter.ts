/**
 * A line whose meaning in YAML needs no parser: a plain key, and a text that begins with a letter and holds none of the
 * signs that mean something inside a text. The one or two lines of most skills are such, and a parser takes a hundred
 * times as long for them.
 */
const SIMPLE_LINE = /^([A-Za-z][A-Za-z_-]*): (\p{L}[^:#\p{C}\u2028\u2029]*)$/u;

/** Words that are no text for YAML. */
const NOT_TEXT = /^(?:null|true|false)$/i;

/** More than a few lines; trailing blanks are looked for in a way that takes long on many of them. */
const MAX_LENGTH = 4_000;

/** The fields of a front matter that consists of simple lines; `undefined` where it has any other, which may be as valid. */
export function readSimpleLines(yaml: string): ReadonlyMap<string, string> | undefined {
  if (yaml.length > MAX_LENGTH) return undefined;
  const fields = new Map<string, string>();
  for (const line of yaml
    .replaceAll('\r\n', '\n')
    .replace(/[ \n]+$/, '')
    .split('\n')) {
    const [, key, value] = SIMPLE_LINE.exec(line) ?? [];
    if (key === undefined || value === undefined || fields.has(key)) return undefined;
    const text = value.replace(/ +$/, '');
    // The keys that are refused elsewhere, and what only a parser can tell apart.
    if (/^(?:constructor|prototype)$/.test(key) || NOT_TEXT.test(text)) return undefined;
    fields.set(key, text);
  }
  return fields;
}
