/** A string for one parameter: the user's words where they fit, a plausible value of the right form where not. */
import { numberOf, stringOr } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import { sampleOf } from './sample-pattern.ts';
import { referenceDay } from './read-values.ts';
import type { Values } from './read-values.ts';

type Reader = (values: Values, used: ReadonlySet<string>) => string | undefined;

const firstOf =
  (pick: (values: Values) => readonly string[]): Reader =>
  (values, used) =>
    pick(values).find((value) => !used.has(value));

/** What a parameter's name says about its value; the first row that matches and finds something wins. */
const byName: readonly (readonly [RegExp, Reader])[] = [
  [/e-?mail|recipient|attendee|invitee|^cc$|^bcc$|guests/i, firstOf((values) => values.emails)],
  [/^(?:url|link|uri|website)|_url$|webpage/i, firstOf((values) => values.urls)],
  [/^from_?(?:currency)|base_?currency|source_?currency/i, (values) => values.codes[0]],
  [/^to_?(?:currency)|target_?currency|quote_?currency/i, (values) => values.codes[1]],
  [/currency|ticker|symbol|code/i, firstOf((values) => values.codes)],
  [/(?:^|_)(?:origin|from|source|departure|start_location|pickup)/i, (values) => values.from],
  [/(?:^|_)(?:destination|arrival|dropoff|end_location)/i, (values) => values.to ?? values.place],
  [/(?:^|_)id$|number$|reference|key$|^issue|^order|sku|tracking/i, firstOf((values) => values.ids)],
  [
    /city|location|place|address|country|region|where|area/i,
    (values) => values.place ?? values.to ?? values.names[0],
  ],
  [/date|day|^when|deadline|due|check_?in|check_?out/i, firstOf((values) => values.dates)],
  [/time|hour/i, firstOf((values) => values.times)],
  [/^to$/i, (values) => values.emails[0] ?? values.to ?? values.names[0]],
  [
    /message|body|subject|title|text|query|content|note|search|keyword|prompt|topic|summary|term|expression|sql/i,
    firstOf((values) => values.quoted),
  ],
  [
    /name|person|contact|artist|company|team|channel|repo|project|owner|assignee/i,
    firstOf((values) => [...values.names, ...values.quoted]),
  ],
];

const byFormat: Readonly<Record<string, (values: Values) => string>> = {
  date: (values) => values.dates[0] ?? referenceDay,
  'date-time': (values) => `${values.dates[0] ?? referenceDay}T${values.times[0] ?? '09:00'}:00Z`,
  time: (values) => `${values.times[0] ?? '09:00'}:00Z`,
  email: (values) => values.emails[0] ?? 'someone@example.com',
  'idn-email': (values) => values.emails[0] ?? 'someone@example.com',
  uri: (values) => values.urls[0] ?? 'https://example.com/',
  'uri-reference': (values) => values.urls[0] ?? 'https://example.com/',
  url: (values) => values.urls[0] ?? 'https://example.com/',
  uuid: () => '7a3f1c52-0d4e-4b6a-9c1d-2f8e5a6b7c8d',
  ipv4: () => '192.0.2.1',
  ipv6: () => '2001:db8::1',
  hostname: () => 'example.com',
  duration: () => 'PT1H',
};

/** What is known when a string is filled. */
export interface StringPlace {
  readonly name: string;
  readonly values: Values;
  /** Values already used by other parameters of this call. */
  readonly used: Set<string>;
}

/** A value that the user's words hold for this parameter; undefined where they hold none. */
export function stringFromWords(schema: JsonObject, place: StringPlace): string | undefined {
  const format = stringOr(schema['format'], '');
  const { values, used } = place;
  if (format === 'email') return values.emails.find((value) => !used.has(value));
  if (format === 'uri') return values.urls.find((value) => !used.has(value));
  if (format === 'date') return values.dates.find((value) => !used.has(value));
  if (format === 'date-time' && values.dates.length + values.times.length > 0)
    return byFormat[format]?.(values);
  if (format !== '') return undefined;
  for (const [pattern, read] of byName) {
    const value = pattern.test(place.name) ? read(values, used) : undefined;
    if (value !== undefined && accepts(schema, value)) return value;
  }
  return undefined;
}

/** A string that satisfies the schema. */
export function fillString(schema: JsonObject, place: StringPlace): string {
  const value = stringFromWords(schema, place) ?? fallback(schema, place);
  place.used.add(value);
  return fitLength(schema, value);
}

function fallback(schema: JsonObject, place: StringPlace): string {
  const format = byFormat[stringOr(schema['format'], '')];
  if (format !== undefined) return format(place.values);
  const guesses = [place.values.quoted[0], place.values.ids[0], place.values.text.trim(), 'example'];
  const fitting = guesses.find((guess) => guess !== undefined && guess !== '' && accepts(schema, guess));
  return fitting ?? sampleOf(stringOr(schema['pattern'], '')) ?? 'example';
}

function accepts(schema: JsonObject, value: string): boolean {
  const max = numberOf(schema['maxLength']);
  const pattern = schema['pattern'];
  if (max !== undefined && Array.from(value).length > max && typeof pattern === 'string') return false;
  if (typeof pattern !== 'string') return true;
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function fitLength(schema: JsonObject, value: string): string {
  if (typeof schema['pattern'] === 'string') return value;
  const characters = Array.from(value);
  const max = numberOf(schema['maxLength']) ?? Infinity;
  const min = numberOf(schema['minLength']) ?? 0;
  if (characters.length > max) return characters.slice(0, max).join('');
  return value.padEnd(value.length + Math.max(0, Math.min(min, 10_000) - characters.length), 'x');
}
