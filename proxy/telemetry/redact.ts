/**
 * Keeps credentials and control characters out of everything that Toolroll writes about a turn.
 *
 * Three nets, since each has holes: header fields are blanked by their name (a key as short as `k1` is caught),
 * configured secrets by their value wherever they stand, and what looks like a credential inside a sentence
 * ("Incorrect API key provided: sk-…") by its form.
 */

/** Takes secrets out of text and of structured data. */
export interface Redactor {
  /** Replaces secrets and cuts; line breaks stay. For bodies that a rule asks to keep. */
  body(text: string, limit: number): string;
  /** Replaces secrets, turns control characters into spaces and cuts, at 8,192 characters if nothing else is said. */
  line(text: string, limit?: number): string;
  /** A copy of any value that is safe to write as JSON: bounded, without cycles, without secrets. */
  data(value: unknown): unknown;
}

const BLANK = '[redacted]';

const sensitiveFields: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'api-key',
  'x-api-key',
  'openai-api-key',
  'apikey',
  'upstreamapikey',
  'adminapikey',
]);

/** What a credential looks like inside a sentence, and what stays of it. */
const credentialForms: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[^\s"',;]+/gi, `$1 ${BLANK}`],
  [/\bsk-[A-Za-z0-9_*-]+/g, BLANK],
  [
    /\b((?:proxy-)?authorization|(?:set-)?cookie|(?:x-|openai-)?api[-_]?key)(["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
    `$1$2${BLANK}`,
  ],
];

/** Control characters, line separators and the marks that reorder text on a terminal. */
const controlCharacters = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Secrets below this length are replaced only where they stand alone, or `k1` would deface every `k10`. */
const SHORT_SECRET = 4;
const MAX_TEXT = 8_192;
/** Read beyond a cut, so that a secret across it is replaced whole instead of halved. */
const CUT_MARGIN = 4_096;
const MAX_DEPTH = 6;
const MAX_ITEMS = 200;

/**
 * @param secrets the configured values (keys of the upstream and of the control API); empty ones are ignored
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const pattern = secretPattern(secrets);
  const secretsIn = (text: string): string => (pattern === undefined ? text : text.replace(pattern, BLANK));
  const body = (text: string, limit: number): string =>
    cutText(secretsIn(text.slice(0, limit + CUT_MARGIN)), limit, text.length);
  const line = (text: string, limit = MAX_TEXT): string => {
    const clean = withoutCredentialForms(secretsIn(text.slice(0, limit + CUT_MARGIN)));
    return cutText(clean, limit, text.length).replace(controlCharacters, ' ').trimEnd();
  };
  return { body, line, data: (value) => copy(value, { line, depth: 0, above: [] }) };
}

/** Longest first, so that a secret which holds another one is replaced whole. */
function secretPattern(secrets: readonly string[]): RegExp | undefined {
  const forms = new Set(secrets.flatMap((secret) => [secret, percentEncoded(secret), jsonEscaped(secret)]));
  forms.delete('');
  if (forms.size === 0) return undefined;
  const sources = [...forms]
    .sort((a, b) => b.length - a.length)
    .map((form) => {
      const literal = form.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
      return form.length < SHORT_SECRET ? `(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])` : literal;
    });
  return new RegExp(sources.join('|'), 'g');
}

/** As it stands inside a JSON string. */
function jsonEscaped(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

/** As it stands in a URL. A lone surrogate cannot be encoded; such a secret is looked for as it is only. */
function percentEncoded(secret: string): string {
  return /\p{Surrogate}/u.test(secret) ? secret : encodeURIComponent(secret);
}

function withoutCredentialForms(text: string): string {
  return credentialForms.reduce((clean, [form, kept]) => clean.replace(form, kept), text);
}

/** `length` is that of the whole text, which may be cut down already. */
function cutText(text: string, limit: number, length: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (cut, ${String(length)} characters in all)`;
}

interface CopyState {
  readonly line: (text: string) => string;
  readonly depth: number;
  readonly above: readonly object[];
}

function copy(value: unknown, state: CopyState): unknown {
  if (typeof value === 'string') return state.line(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'boolean' || value === null || value === undefined) return value;
  if (typeof value !== 'object') return `[${typeof value}]`;
  if (state.above.includes(value)) return '[circular]';
  if (state.depth >= MAX_DEPTH) return '[deeper]';
  const below = { line: state.line, depth: state.depth + 1, above: [...state.above, value] };
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (value instanceof Error) return copyError(value, below);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${String(value.byteLength)} bytes]`;
  if (Array.isArray(value)) return copyList(value, below);
  return copyFields(value, below);
}

/** The chain of causes is what explains an upstream failure; a stack only helps us, so it goes last. */
function copyError(error: Error, state: CopyState): unknown {
  return {
    type: error.name,
    message: state.line(error.message),
    ...('code' in error && { code: copy(error.code, state) }),
    ...(error.cause !== undefined && { cause: copy(error.cause, state) }),
    ...(error.stack !== undefined && { stack: state.line(error.stack) }),
  };
}

/** Also reads Node's `rawHeaders`, where a value stands in the element after its name. */
function copyList(values: readonly unknown[], state: CopyState): unknown[] {
  const copies = values.slice(0, MAX_ITEMS).map((value, index) => {
    const before = index === 0 ? undefined : values[index - 1];
    return typeof before === 'string' && isSensitive(before) ? BLANK : copy(value, state);
  });
  if (values.length > MAX_ITEMS) copies.push(`… (${String(values.length - MAX_ITEMS)} more)`);
  return copies;
}

function copyFields(value: object, state: CopyState): unknown {
  const entries = value instanceof Map ? [...value].map(mapEntry) : Object.entries(value);
  const fields = entries
    .slice(0, MAX_ITEMS)
    .map(([key, field]: [string, unknown]): [string, unknown] => [
      state.line(key),
      isSensitive(key) ? BLANK : copy(field, state),
    ]);
  return Object.fromEntries(fields);
}

function mapEntry([key, field]: [unknown, unknown]): [string, unknown] {
  return [typeof key === 'string' ? key : '[key]', field];
}

function isSensitive(name: string): boolean {
  return sensitiveFields.has(name.trim().toLowerCase());
}
