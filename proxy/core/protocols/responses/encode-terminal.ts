import {
  applyEdits,
  editMembers,
  isJsonObject,
  lastMember,
  parseJson,
  scanObject,
  sliceSpan,
} from '../../json/index.ts';
import type { JsonObject, ObjectScan } from '../../json/index.ts';
import type { Echo, NameMaps } from '../adapter.ts';
import { decodeItems } from './decode-response.ts';
import { echoPresent, sumUsage } from './encode-response.ts';
import { itemForApp } from './items.ts';

/** What the last event of a stream has to say to the app. */
export interface TerminalRewrite {
  readonly echo: Echo;
  readonly names: NameMaps;
  /** The usage of all hops, where it is not the answer's own; several hops are summed. */
  readonly usage: readonly JsonObject[];
  /** The items that the app was given, where they are not the upstream's own `output`. */
  readonly items: readonly string[] | undefined;
  readonly id: (response: string) => Record<string, string>;
}

/** The changes to the data of the last event: its `response` as the app has to read it. */
export function encodeTerminal(
  data: string,
  scan: ObjectScan,
  rewrite: TerminalRewrite,
): Record<string, string> {
  const response = lastMember(scan, 'response');
  if (response === undefined) return {};
  const own = sliceSpan(data, response.value);
  const inner = scanObject(own);
  const members: Record<string, string> = { ...echoPresent(inner, rewrite.echo), ...rewrite.id(own) };
  const output = rewrite.items ?? renamedItems(own, rewrite.names);
  if (output !== undefined) members['output'] = `[${output.join(',')}]`;
  if (rewrite.usage.length > 1) members['usage'] = JSON.stringify(sumUsage(rewrite.usage));
  const edited = applyEdits(own, editMembers(own, inner, members));
  return edited === own ? {} : { response: edited };
}

/** The upstream's own `output` under the app's names; `undefined` where that changes nothing. */
function renamedItems(response: string, names: NameMaps): readonly string[] | undefined {
  const value = parseJson(response);
  const items = decodeItems(response, isJsonObject(value) ? value['output'] : undefined);
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
