import { parseJson } from '../json/index.ts';

const TOKEN =
  /"[^"\\]*(?:\\[^][^"\\]*)*"|'[^'\\]*(?:\\[^][^'\\]*)*'|[A-Za-z0-9+\-.]+|(,)(?=[ \t\r\n]*[}\]])|[^]/g;
const PYTHON_WORDS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);
/** The control characters that a JSON string must not hold: those below the space. */
const CONTROL = /[^\P{Cc}\u007f-\u009f]/gu;
const ESCAPED_CONTROL = /\\[^\P{Cc}\u007f-\u009f]/u;

/**
 * JSON for a text that is nearly JSON, or `undefined`. Mended is only what can mean one thing: a comma that trails, a raw
 * control character in a string, and what Python writes (`True`, `None`, single quotes). Valid JSON comes back as it is.
 */
export function mendJson(text: string): string | undefined {
  if (parseJson(text) !== undefined) return text;
  const mended = text.replace(TOKEN, mendToken);
  return parseJson(mended) === undefined ? undefined : mended;
}

function mendToken(token: string, trailingComma: string | undefined): string {
  if (trailingComma !== undefined) return '';
  const first = token[0];
  if (first === '"' && token.length > 1) return mendControls(token);
  if (first === "'" && token.length > 1) return mendControls(`"${requote(token.slice(1, -1))}"`);
  return PYTHON_WORDS.get(token) ?? token;
}

/** A backslash before a raw line end could mean the line end, or nothing at all: that one stays broken. */
function mendControls(token: string): string {
  if (ESCAPED_CONTROL.test(token)) return token;
  return token.replace(CONTROL, (control) => JSON.stringify(control).slice(1, -1));
}

/** What stands between single quotes, for double ones. Escapes that only Python knows stay, and are no JSON. */
function requote(inner: string): string {
  return inner.replace(/\\[^]|"/g, (found) => {
    if (found === "\\'") return "'";
    return found === '"' ? '\\"' : found;
  });
}
