import { endsAt, lastMember, parseJson, scanArray, scanObject, sliceSpan } from '../json/index.ts';
import type { ArrayScan, Edit, ObjectScan, Span } from '../json/index.ts';

/** A string of the request: where it stands, and what it says. */
export interface TextPlace {
  readonly span: Span;
  readonly value: string;
}

/** Escapes of the letters and signs that our words consist of: rarely written so, but they say the same. */
const ESCAPED_WORD = /\\u00(?:3a|4[0-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9abd])/i;

/** Whether one of the words may stand in a JSON text, escapes included. False is certain, and costs a few searches. */
export function mayHold(text: string, ...words: readonly string[]): boolean {
  return words.some((word) => text.includes(word)) || ESCAPED_WORD.test(text);
}

/** The members of a body, or `undefined` where it is no JSON object. */
export function scanBody(text: string): ObjectScan | undefined {
  return orUndefined(() => {
    const scan = scanObject(text);
    return endsAt(text, scan.span.end) ? scan : undefined;
  });
}

/** What a scan gives, or `undefined` where it meets something that is no JSON. */
export function orUndefined<T>(scan: () => T): T | undefined {
  try {
    return scan();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The array that stands at a span, or `undefined`. */
export function arrayAt(text: string, span: Span | undefined): ArrayScan | undefined {
  return span !== undefined && text[span.start] === '[' ? scanArray(text, span.start) : undefined;
}

/** The object that stands at a span, or `undefined`. */
export function objectAt(text: string, span: Span | undefined): ObjectScan | undefined {
  return span !== undefined && text[span.start] === '{' ? scanObject(text, span.start) : undefined;
}

/** The string that stands at a span, or `undefined`. */
export function stringAt(text: string, span: Span | undefined): string | undefined {
  if (span === undefined || text[span.start] !== '"') return undefined;
  const value = parseJson(sliceSpan(text, span));
  return typeof value === 'string' ? value : undefined;
}

/** The string that an object has under a key, or `undefined`. */
export function stringIn(text: string, object: ObjectScan, key: string): string | undefined {
  return stringAt(text, lastMember(object, key)?.value);
}

/** The value that an object has under a key, parsed; `undefined` where there is none. */
export function valueIn(text: string, object: ObjectScan, key: string): unknown {
  const member = lastMember(object, key);
  return member === undefined ? undefined : parseJson(sliceSpan(text, member.value));
}

/**
 * What a message says: its content where that is a string, and the texts of its parts where it is a list of them (`text`
 * in chat completions, `input_text` and `output_text` in responses).
 */
export function textsOf(text: string, message: ObjectScan): TextPlace[] {
  return message.members
    .filter(({ key }) => key === 'content')
    .flatMap(({ value }) => {
      const parts = arrayAt(text, value)?.elements.map((part) => textOfPart(text, part));
      return (parts ?? [value]).flatMap((span) => {
        const said = stringAt(text, span);
        return span === undefined || said === undefined ? [] : [{ span, value: said }];
      });
    });
}

function textOfPart(text: string, part: Span): Span | undefined {
  const scan = objectAt(text, part);
  return scan && lastMember(scan, 'text')?.value;
}

/** The edit that makes a string say something else, if it does not say it yet. */
export function restated({ span, value }: TextPlace, next: string): readonly Edit[] {
  return next === value ? [] : [{ ...span, text: JSON.stringify(next) }];
}
