/** Values that stand in a user's words, by kind, in order of appearance. */

/** What was found in a text. */
export interface Values {
  readonly text: string;
  readonly quoted: readonly string[];
  readonly emails: readonly string[];
  readonly urls: readonly string[];
  /** ISO dates; `today` and the like are counted from {@link referenceDay}. */
  readonly dates: readonly string[];
  /** `HH:MM`. */
  readonly times: readonly string[];
  readonly numbers: readonly number[];
  /** Tokens like `ORD-1042`, `#482`, `AAPL1`. */
  readonly ids: readonly string[];
  /** Three-letter codes in capitals. */
  readonly codes: readonly string[];
  /** Capitalised runs: places, people, products. */
  readonly names: readonly string[];
  /** Capitalised run after `from` / `to` / `in`, `at`, `near`, `for`. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly place: string | undefined;
}

/** The day that `today` means. Fixed, so that the same request has the same answer on every day. */
export const referenceDay = '2026-12-01';

const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const monthNames =
  'january february march april may june july august september october november december'.split(' ');

/** Reads the values out of a text. */
export function readValues(text: string): Values {
  const all = (pattern: RegExp): readonly string[] =>
    [...text.matchAll(pattern)].map((match) => match[1] ?? match[0]);
  const emails = all(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g);
  const urls = all(/https?:\/\/[^\s"'<>]+[^\s"'<>.,?!]/g);
  const quoted = all(/"([^"]+)"|(?<=\s)'([^']+)'(?=\s|$)|“([^”]+)”/g).map((quote) =>
    quote.replace(/^['"“]|['"”]$/g, ''),
  );
  const ids = all(/\b[A-Z]{1,10}-\d+(?:-\d+)*\b|\b[A-Z]+\d[A-Z\d]*\b|#\d+|\b[a-z]+_[a-zA-Z\d]{4,}\b/g);
  const names = readNames(text);
  const name = String.raw`((?:\p{Lu}[\p{L}'’.-]*|[A-Z]{2,})(?:\s+(?:de|la|of)?\s*\p{Lu}[\p{L}'’-]*)*)`;
  const after = (words: string): string | undefined =>
    new RegExp(String.raw`(?:^|\s)(?:${words})\s+(?:the\s+)?${name}`, 'u')
      .exec(text)?.[1]
      ?.replace(/[.,?!]+$/, '');
  return {
    text,
    quoted,
    emails,
    urls,
    dates: readDates(text),
    times: readTimes(text),
    numbers: readNumbers(text),
    ids,
    codes: all(/\b[A-Z]{3}\b/g),
    names,
    from: after('from'),
    to: after('to|into'),
    place: after('in|at|near|around|for|of'),
  };
}

function readNames(text: string): readonly string[] {
  const runs = [...text.matchAll(/\p{Lu}[\p{L}\d'’-]*(?:\s+\p{Lu}[\p{L}\d'’-]*)*/gu)];
  return runs
    .filter((run) => run.index > 0 || /\s/.test(run[0]))
    .map((run) => run[0])
    .filter((name) => !dayNames.includes(name.toLowerCase()) && !monthNames.includes(name.toLowerCase()));
}

function readDates(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const found: string[] = [...lower.matchAll(/\b\d{4}-\d{2}-\d{2}\b/g)].map((match) => match[0]);
  for (const match of lower.matchAll(
    new RegExp(String.raw`\b(${monthNames.join('|')})\s+(\d{1,2})\b`, 'g'),
  )) {
    found.push(dateOf(match[1] ?? '', match[2] ?? ''));
  }
  for (const match of lower.matchAll(
    new RegExp(String.raw`\b(\d{1,2})\s+(${monthNames.join('|')})\b`, 'g'),
  )) {
    found.push(dateOf(match[2] ?? '', match[1] ?? ''));
  }
  if (/\b(?:today|tonight)\b/.test(lower)) found.push(referenceDay);
  if (/\btomorrow\b/.test(lower)) found.push(dayAfter(1));
  if (/\byesterday\b/.test(lower)) found.push(dayAfter(-1));
  for (const [weekday, name] of dayNames.entries()) {
    if (new RegExp(String.raw`\b${name}\b`).test(lower)) found.push(dayAfter(daysUntil(weekday)));
  }
  return found;
}

function dateOf(month: string, day: string): string {
  const number = monthNames.indexOf(month) + 1;
  return `2026-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

function dayAfter(days: number): string {
  const day = new Date(`${referenceDay}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}

function daysUntil(weekday: number): number {
  const today = new Date(`${referenceDay}T00:00:00Z`).getUTCDay();
  return (weekday - today + 7) % 7 || 7;
}

function readTimes(text: string): readonly string[] {
  const found: string[] = [];
  for (const match of text.matchAll(/\b(\d{1,2})(?::(\d{2}))?\s*([ap]m)\b|\b(\d{1,2}):(\d{2})\b/gi)) {
    const half = match[3]?.toLowerCase();
    let hour = Number(match[1] ?? match[4]) % 24;
    if (half === 'pm' && hour < 12) hour += 12;
    if (half === 'am' && hour === 12) hour = 0;
    found.push(`${String(hour).padStart(2, '0')}:${match[2] ?? match[5] ?? '00'}`);
  }
  return found;
}

function readNumbers(text: string): readonly number[] {
  const bare = text
    .replace(
      /\d{4}-\d{2}-\d{2}|\b\d{1,2}(?::\d{2})?\s*[ap]m\b|\b\d{1,2}:\d{2}\b|\b[A-Z]+-\d+\b|[\w.+-]+@\S+|https?:\S+/gi,
      ' ',
    )
    .replace(/(\d),(?=\d{3}\b)/g, '$1');
  const digits = [...bare.matchAll(/-?\d+(?:\.\d+)?/g)].map((match) => Number(match[0]));
  const spelled = 'one two three four five six seven eight nine ten'.split(' ');
  const words = bare.toLowerCase().match(/\b[a-z]+\b/g) ?? [];
  return [...digits, ...words.map((word) => spelled.indexOf(word) + 1).filter((value) => value > 1)];
}
