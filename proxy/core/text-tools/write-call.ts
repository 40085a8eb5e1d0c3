import { isJsonObject, parseJson } from '../json/index.ts';
import { CALL_END, CALL_START } from './scan-modes.ts';
import type { CallFormat } from './scan-text.ts';

/** A call of the history, as the model would have written it. */
export interface PastCall {
  readonly name: string;
  /** Arguments (JSON text, or what a model took for it), or the input of a custom tool. */
  readonly content: string;
  readonly kind: 'arguments' | 'input';
}

export function callExample(format: CallFormat): string {
  return wrap('{"name": "NAME", "arguments": {"ARGUMENT": "VALUE"}}', format);
}

export function writeCalls(calls: readonly PastCall[], format: CallFormat): string {
  return calls
    .map((call) => wrap(`{"name": ${JSON.stringify(call.name)}, "arguments": ${argumentsOf(call)}}`, format))
    .join('\n');
}

function wrap(call: string, format: CallFormat): string {
  return format === 'json' ? `\`\`\`json\n${call}\n\`\`\`` : `${CALL_START}\n${call}\n${CALL_END}`;
}

/** What is no JSON object goes on as a string, so that the history shows what was sent, and in a form that can be read. */
function argumentsOf({ content, kind }: PastCall): string {
  if (kind === 'input') return JSON.stringify({ input: content });
  if (content.trim() === '') return '{}';
  return isJsonObject(parseJson(content)) ? content : JSON.stringify(content);
}

/** The marks around a tool's result. */
export function responseMarks(name: string | undefined): { readonly start: string; readonly end: string } {
  const attribute = name === undefined ? '' : ` name=${JSON.stringify(name)}`;
  return { start: `<tool_response${attribute}>\n`, end: '\n</tool_response>' };
}
