/** One turn of `POST /v1/responses`: from the body to the answer and what is remembered of it. */
import { ApiError } from './api-error.ts';
import { menuOf, sinceQuestion, think } from './brain/index.ts';
import type { BrainAnswer, BrainRequest } from './brain/index.ts';
import { bendAnswer, Faults } from './faults/index.ts';
import type { Fault } from './faults/index.ts';
import { stringOr } from './json-value.ts';
import type { JsonObject } from './json-value.ts';
import type { Store } from './store.ts';
import { tokensOf } from './usage/index.ts';
import type { PromptCache } from './usage/index.ts';
import { buildOutput, checkChain, checkRequest, decodeRequest, itemsOf } from './wire/index.ts';
import type { DecodedRequest, NextId, Output, ResponseEnd, ResponseHead, Usage } from './wire/index.ts';

/** What a server holds over its turns. */
export interface Memory {
  readonly store: Store;
  readonly cache: PromptCache;
  readonly nextId: NextId;
  /** Requests by their text: a benchmark sends the same one again and again. */
  readonly decoded: Map<string, Thought>;
}

/** A request and what the brain makes of it. */
export interface Thought {
  readonly request: DecodedRequest;
  readonly answer: BrainAnswer;
}

/** A turn that is ready to be sent. */
export interface Turn {
  readonly head: ResponseHead;
  readonly end: ResponseEnd;
}

/** Longest body that is remembered, and how many of them. */
const longestRemembered = 2_000_000;
const mostRemembered = 64;

/** Decodes a checked request and thinks. Throws an {@link ApiError} for what OpenAI would refuse. */
export function takeIn(memory: Memory, text: string, body: JsonObject): Thought {
  const known = memory.decoded.get(text);
  if (known !== undefined) return known;
  checkRequest(body);
  const chain = chainOf(memory.store, body['previous_response_id']);
  const items = itemsOf(body['input']);
  checkChain(chain, items, (id) => memory.store.findItem(id));
  const request = decodeRequest(body, chain.concat(referencedItems(memory.store, items)));
  const thought = { request, answer: think(request.brain) };
  if (isSelfContained(items, chain) && text.length <= longestRemembered)
    remember(memory.decoded, text, thought);
  return thought;
}

function remember(decoded: Map<string, Thought>, text: string, thought: Thought): void {
  decoded.set(text, thought);
  for (const key of decoded.keys()) {
    if (decoded.size <= mostRemembered) return;
    decoded.delete(key);
  }
}

/** True where nothing but the text itself decides whether the request is good. */
function isSelfContained(items: readonly JsonObject[], chain: readonly JsonObject[]): boolean {
  return chain.length === 0 && items.every((item) => item['id'] === undefined);
}

/** The items of the response that a request continues. */
export function chainOf(store: Store, previous: unknown): JsonObject[] {
  if (typeof previous !== 'string') return [];
  const stored = store.get(previous);
  if (stored !== undefined) return [...stored.context];
  throw new ApiError({
    status: 400,
    message: `Previous response with id '${previous}' not found.`,
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  });
}

function referencedItems(store: Store, items: readonly JsonObject[]): readonly JsonObject[] {
  return items.flatMap((item) => {
    if (item['type'] !== 'item_reference') return [];
    const id = stringOr(item['id'], '');
    const known = store.findItem(id);
    if (known?.stored === true) return [known.item];
    throw new ApiError({ status: 404, message: `Item with id '${id}' not found.`, param: 'input' });
  });
}

/** The faults that strike this request. */
export function strike(
  faults: readonly Fault[],
  brain: BrainRequest,
): { readonly faults: Faults; readonly hop: 1 | 2 } {
  const hop = brain.tools.some((tool) => menuOf(tool).length > 0) ? 1 : 2;
  return { faults: new Faults(faults, { hop, round: sinceQuestion(brain.history).picks + 1 }), hop };
}

/** Builds the response of a thought and remembers it. */
export function answerTurn(memory: Memory, thought: Thought, faults: Faults): Turn {
  const { request } = thought;
  const answer = bendAnswer(thought.answer, faults, request.brain);
  const head = { id: memory.nextId('resp'), createdAt: Math.floor(Date.now() / 1000), request };
  const output = buildOutput(request, answer, memory.nextId);
  const cached = memory.cache.look(request.cacheKey, request.prompt);
  const usage = faults.has('no_usage') ? null : usageOf(request, output, cached);
  const status = output.complete ? 'completed' : 'incomplete';
  return { head, end: { status, output: output.items, usage } };
}

function usageOf(request: DecodedRequest, output: Output, cached: number): Usage {
  const input = tokensOf(request.prompt);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output.outputTokens,
    output_tokens_details: { reasoning_tokens: output.reasoningTokens },
    total_tokens: input + output.outputTokens,
  };
}
