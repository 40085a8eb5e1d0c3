import { applyEdits, editMembers, scanObject } from '../../json/index.ts';
import type { JsonObject } from '../../json/index.ts';
import type { NameMaps } from '../adapter.ts';
import { sumUsage } from '../sum-usage.ts';
import { readResponse } from './decode-response.ts';
import { itemForApp } from './items.ts';
import type { ResponseEvent } from './stream-frame.ts';

/** What the last event of a stream has to say to the app. */
export interface TerminalRewrite {
  readonly names: NameMaps;
  /** The usage of all hops, where it is not the answer's own; several hops are summed. */
  readonly usage: readonly JsonObject[];
  /** The items that the app was given, where they are not the upstream's own `output`. */
  readonly items: readonly string[] | undefined;
}

/** The changes to the last event's response object: its items and its usage as the app has to read them. */
export function terminalChanges(event: ResponseEvent, rewrite: TerminalRewrite): Record<string, string> {
  const members: Record<string, string> = {};
  const output = rewrite.items ?? renamedItems(event, rewrite.names);
  if (output !== undefined) members['output'] = `[${output.join(',')}]`;
  if (rewrite.usage.length > 1) members['usage'] = JSON.stringify(sumUsage(rewrite.usage));
  return members;
}

/** The upstream's own `output` under the app's names; `undefined` where that changes nothing. */
function renamedItems({ data, response }: ResponseEvent, names: NameMaps): readonly string[] | undefined {
  const { items } = readResponse(data, response);
  const renamed = items.map(({ item, text }) => itemForApp(text, item, names));
  return renamed.every((text, index) => text === items[index]?.text) ? undefined : renamed;
}

/**
 * The response object of a stream that cannot go on.
 *
 * @param opening the response object that opened the stream; absent if nothing has
 * @param items what the app was given so far
 */
export function failedResponse(
  opening: string | undefined,
  error: { readonly code: string; readonly message: string },
  items: readonly string[],
): string {
  const base = opening ?? '{"object":"response","output":[]}';
  return applyEdits(
    base,
    editMembers(base, scanObject(base), {
      status: '"failed"',
      error: JSON.stringify(error),
      output: `[${items.join(',')}]`,
    }),
  );
}
