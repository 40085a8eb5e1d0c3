import { call, message, response, stream } from '../integration/support/wire.ts';
import { chatCall, chatStream, completion } from '../integration/support/chat-wire.ts';
import { cut, json, sse } from '../integration/support/index.ts';
import type { Answer, Json, Step } from '../integration/support/index.ts';

/** The axes of the table. */
export interface Combination {
  readonly protocol: 'responses' | 'chat';
  readonly transport: 'native' | 'text';
  readonly format: 'json' | 'stream';
}

/** What a model says in one hop, in no API's words. */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly CallSaid[];
  /** The connection is cut in the middle of it. */
  readonly isCut?: boolean;
}

export interface CallSaid {
  readonly name: string;
  /** A string goes as it is: arguments that are no JSON. */
  readonly args: unknown;
}

/** What the upstream does in one hop. */
export type Hop = Said | { readonly status: number; readonly body: Json };

/** One hop as the upstream of that combination writes it. */
export function wire(hop: Hop, combination: Combination, index: number): Answer {
  if ('status' in hop) return json(hop.body, { status: hop.status, headers: { 'retry-after': '30' } });
  const said = combination.transport === 'text' ? asText(hop) : hop;
  return combination.protocol === 'chat'
    ? chatWire(said, combination, index)
    : responsesWire(said, combination, index);
}

/** A model without tools writes its calls. */
function asText({ text = '', calls = [], ...rest }: Said): Said {
  const written = calls.map(({ name, args }) => {
    const argumentsText = typeof args === 'string' ? args : JSON.stringify(args);
    return `<tool_call>{"name":${JSON.stringify(name)},"arguments":${argumentsText}}</tool_call>`;
  });
  return { text: [text, ...written].filter((part) => part !== '').join('\n'), ...rest };
}

function chatWire({ text, calls = [], isCut = false }: Said, { format }: Combination, index: number): Answer {
  const parts = {
    id: `chatcmpl-${String(index)}`,
    ...(text === undefined ? {} : { content: text }),
    calls: calls.map(({ name, args }, at) =>
      chatCall(name, args, { id: `call_${String(index)}_${String(at)}` }),
    ),
  };
  return shaped(JSON.stringify(completion(parts)), chatStream(parts), { format, isCut });
}

function responsesWire(
  { text, calls = [], isCut = false }: Said,
  { format }: Combination,
  index: number,
): Answer {
  const items = [
    ...(text === undefined ? [] : [message(text, { id: `msg_${String(index)}` })]),
    ...calls.map(({ name, args }, at) => call(name, args, { id: `fc_${String(index)}_${String(at)}` })),
  ];
  const parts = { id: `resp_${String(index)}`, items };
  return shaped(JSON.stringify(response(parts)), stream(parts), { format, isCut });
}

interface Shape {
  readonly format: Combination['format'];
  readonly isCut: boolean;
}

function shaped(whole: string, frames: readonly string[], { format, isCut }: Shape): Answer {
  if (format === 'stream') return sse(isCut ? [...frames.slice(0, 5), cut] : frames);
  const steps: Step[] = isCut ? [whole.slice(0, 60), cut] : [whole];
  return { headers: { 'content-type': 'application/json' }, steps };
}
