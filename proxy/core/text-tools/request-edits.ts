import { endsAt, isJsonObject, lastMember, parseJson, scanObject, sliceSpan } from '../json/index.ts';
import type { ObjectScan } from '../json/index.ts';
import { NO_OFFER } from './offered-tools.ts';
import type { Offer } from './offered-tools.ts';
import type { CallFormat } from './scan-text.ts';

/** How tools are told to a model that has none. */
export interface TextToolsSettings {
  /** What the model is asked to write, and what is read as a call. */
  readonly format: CallFormat;
  /** `own`: the tools stand in a message of their own. `append`: at the end of the system message that is there. */
  readonly placement: 'own' | 'append';
}

/** A request without native tools. */
export interface TextRequest {
  readonly body: string;
  readonly offer: Offer;
  /** What the native request said in the fields that an answer repeats, as JSON texts. */
  readonly echo: Readonly<Record<string, string>>;
}

/** A body that is no JSON object goes on as it is; the upstream judges it. */
export function unchanged(body: string): TextRequest {
  return { body, offer: NO_OFFER, echo: {} };
}

/** The members of a body, or `undefined` if it is no JSON object. */
export function scanBody(body: string): ObjectScan | undefined {
  try {
    const scan = scanObject(body);
    return endsAt(body, scan.span.end) ? scan : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A member's JSON text. */
export function memberText(text: string, scan: ObjectScan, key: string): string | undefined {
  const member = lastMember(scan, key);
  return member === undefined ? undefined : sliceSpan(text, member.value);
}

/** A member's value. */
export function memberValue(text: string, scan: ObjectScan, key: string): unknown {
  const own = memberText(text, scan, key);
  return own === undefined ? undefined : parseJson(own);
}

/** A string member of an object in JSON text, at one key or inside another: `read(call, 'function', 'name')`. */
export function stringAt(value: unknown, ...path: readonly string[]): string | undefined {
  let at = value;
  for (const key of path) {
    if (!isJsonObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return typeof at === 'string' ? at : undefined;
}

/** What says of tools what a model without them cannot take. */
export const WITHOUT_TOOLS = { tools: null, tool_choice: null, parallel_tool_calls: null } as const;
