/** The stand-in's endpoints. Another protocol adds its rows here, its turn and its folder, as `chat/` beside `wire/`. */
import { ApiError, missing } from './api-error.ts';
import { chatTurn } from './chat-turn.ts';
import { parseBody } from './check-fields.ts';
import { failEarly } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { bendEvents, Faults, withObjectArguments } from './faults/index.ts';
import { parseJson } from './json-value.ts';
import type { JsonObject } from './json-value.ts';
import type { RequestKind } from './request-log.ts';
import { doneMarker, sendFrames, sendJson } from './send.ts';
import type { Frame } from './send.ts';
import { answerTurn, chainOf, strike, takeIn } from './turn.ts';
import type { Memory, Turn } from './turn.ts';
import { tokensOf } from './usage/index.ts';
import {
  checkRequest,
  decodeRequest,
  encodeJson,
  itemSegments,
  itemsOf,
  responseObject,
  streamEvents,
} from './wire/index.ts';
import type { StreamEvent } from './wire/index.ts';

type Handler = (exchange: Exchange) => Promise<void> | void;

/** One endpoint. */
export interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly kind: RequestKind;
  readonly handle: Handler;
}

/** All endpoints, first match wins. */
export const routes: readonly Route[] = [
  { method: 'POST', path: /^\/v1\/responses$/, kind: 'turn', handle: turn },
  { method: 'POST', path: /^\/v1\/chat\/completions$/, kind: 'turn', handle: chatTurn },
  { method: 'POST', path: /^\/v1\/responses\/input_tokens$/, kind: 'input_tokens', handle: inputTokens },
  { method: 'POST', path: /^\/v1\/responses\/compact$/, kind: 'compact', handle: compact },
  { method: 'GET', path: /^\/v1\/responses\/([^/]+)$/, kind: 'stored', handle: retrieve },
  { method: 'DELETE', path: /^\/v1\/responses\/([^/]+)$/, kind: 'stored', handle: remove },
  { method: 'POST', path: /^\/v1\/responses\/([^/]+)\/cancel$/, kind: 'stored', handle: cancel },
  { method: 'GET', path: /^\/v1\/responses\/([^/]+)\/input_items$/, kind: 'stored', handle: inputItems },
  { method: 'GET', path: /^\/v1\/models$/, kind: 'models', handle: models },
];

async function turn(exchange: Exchange): Promise<void> {
  const { memory, log } = exchange;
  const text = log.bodyText;
  const body = memory.decoded.get(text)?.request.body ?? parseBody(parseJson(text));
  log.body = body;
  const thought = takeIn(memory, text, body);
  const { faults, hop } = strike(exchange.faults, thought.request.brain, thought.rejected);
  log.hop = hop;
  const outlet = { ...exchange.outlet, faults };
  if (await failEarly(outlet)) return;
  const done = answerTurn(memory, thought, faults);
  if (done.end.usage !== null) log.usage = done.end.usage;
  keep(memory, done);
  if (!thought.request.stream) sendJson(outlet, 200, encodeJson(jsonBody(done, faults)));
  else await sendFrames(outlet, framesOf(bendEvents(streamEvents(done.head, done.end), faults), faults));
}

/** The events' frames, each made when it is its turn: what is cut off is never made. */
function* framesOf(events: readonly StreamEvent[], faults: Faults): Iterable<Frame> {
  for (const event of events) yield { event: event.type, data: encodeJson(event) };
  if (faults.has('done_marker')) yield { data: doneMarker };
}

function keep(memory: Memory, { head, end }: Turn): void {
  const { request } = head;
  const previous = request.body['previous_response_id'];
  const response = responseObject(head, end);
  const output = end.output.map((item): JsonObject => ({ ...item }));
  const context = [...chainOf(memory.store, previous), ...request.items, ...output];
  const entry = { response, input: request.items, context };
  memory.store.keep(head.id, entry, { items: output, stored: request.store });
}

function jsonBody({ head, end }: Turn, faults: Faults): JsonObject {
  if (head.request.background) return responseObject(head, { status: 'queued', output: [], usage: null });
  const response = responseObject(head, end);
  if (!faults.has('object_arguments')) return response;
  return { ...response, output: end.output.map(withObjectArguments) };
}

function inputTokens(exchange: Exchange): void {
  const body = parseBody(exchange.log.body);
  checkRequest(body);
  const chain = chainOf(exchange.memory.store, body['previous_response_id']);
  const { prompt } = decodeRequest(body, chain);
  sendPlain(exchange, { object: 'response.input_tokens', input_tokens: tokensOf(prompt) });
}

/** Compaction: the user's messages stay, the rest becomes one opaque item. */
function compact(exchange: Exchange): void {
  const body = parseBody(exchange.log.body);
  if (typeof body['model'] !== 'string') throw missing('model');
  const { memory } = exchange;
  const items = [...chainOf(memory.store, body['previous_response_id']), ...itemsOf(body['input'])];
  const kept = items.filter((item) => item['role'] === 'user').map((item) => userMessage(item, memory));
  const gone = items.filter((item) => item['role'] !== 'user');
  const compaction = {
    id: memory.nextId('cmp'),
    type: 'compaction',
    encrypted_content: Buffer.from(JSON.stringify(gone)).toString('base64url'),
  };
  const input = tokensOf(itemSegments(items));
  sendPlain(exchange, {
    id: memory.nextId('resp'),
    object: 'response.compaction',
    created_at: Math.floor(Date.now() / 1000),
    output: [...kept, compaction],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 16,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + 16,
    },
  });
}

function userMessage(item: JsonObject, memory: Memory): JsonObject {
  const content = item['content'];
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
  return { id: memory.nextId('msg'), type: 'message', status: 'completed', role: 'user', content: parts };
}

function retrieve(exchange: Exchange): void {
  sendPlain(exchange, stored(exchange).response);
}

function remove(exchange: Exchange): void {
  stored(exchange);
  exchange.memory.store.delete(exchange.id);
  sendPlain(exchange, { id: exchange.id, object: 'response', deleted: true });
}

function cancel(exchange: Exchange): void {
  const entry = stored(exchange);
  if (entry.response['background'] !== true) {
    throw new ApiError({ status: 400, message: 'Cannot cancel a synchronous response.' });
  }
  const response = { ...entry.response, status: 'cancelled', output: [], completed_at: null };
  exchange.memory.store.set(exchange.id, { ...entry, response });
  sendPlain(exchange, response);
}

function inputItems(exchange: Exchange): void {
  const data = stored(exchange)
    .input.map((item, at) => ({ id: `item_${exchange.id}_${String(at)}`, ...item }))
    .reverse();
  sendPlain(exchange, {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: false,
  });
}

function stored(exchange: Exchange): NonNullable<ReturnType<Memory['store']['get']>> {
  const entry = exchange.memory.store.get(exchange.id);
  if (entry !== undefined) return entry;
  throw new ApiError({ status: 404, message: `Response with id '${exchange.id}' not found.` });
}

function models(exchange: Exchange): void {
  const ids = ['gpt-4o-mini', 'gpt-5', 'stand-in'];
  const data = ids.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'stand-in' }));
  sendPlain(exchange, { object: 'list', data });
}

function sendPlain(exchange: Exchange, value: JsonObject): void {
  const faults = new Faults(exchange.faults, { hop: 2, round: 1 });
  sendJson({ ...exchange.outlet, faults }, 200, JSON.stringify(value));
}
