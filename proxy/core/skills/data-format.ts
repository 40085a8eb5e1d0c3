import { isJsonObject } from '../json/index.ts';
import type { Protocol } from '../turn/index.ts';
import { orUndefined, scanBody, valueIn } from './places.ts';

/** True if a request asks for an answer that is data, such as JSON of some schema, and no text for people. */
export function asksForData(protocol: Protocol, text: string): boolean {
  const format = orUndefined(() => formatOf(protocol, text));
  return isJsonObject(format) && format['type'] !== 'text';
}

function formatOf(protocol: Protocol, text: string): unknown {
  const body = scanBody(text);
  if (body === undefined) return undefined;
  if (protocol === 'chat') return valueIn(text, body, 'response_format');
  const settings = valueIn(text, body, 'text');
  return isJsonObject(settings) ? settings['format'] : undefined;
}
