/** One turn of `POST /v1/responses`: from the body to the answer and what is remembered of it; a chat takes its steps too. */
import { ApiError, invalid } from './api-error.ts';
import { loadsSkill, menuOf, sinceQuestion, skillsOf, think } from './brain/index.ts';
import type { BrainAnswer, BrainRequest } from './brain/index.ts';
import type { ChatThought } from './chat-turn.ts';
import { bendAnswer, Faults } from './faults/index.ts';
import type { Fault } from './faults/index.ts';
import { stringOr } from './json-value.ts';
import type { JsonObject } from './json-value.ts';
import type { Store } from './store.ts';
import { askInText, isSlip, lettersPerDelta, slips, traitsOf, writeCalls } from './text-model/index.ts';
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
  /** The same for chats. */
  readonly chats: Map<string, ChatThought>;
}

/** A request and what the brain makes of it. */
export interface Thought {
  readonly request: DecodedRequest;
  /** Calls since the user spoke that were sent back as wrong. */
  readonly rejected: number;
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
  const decoded = decodeRequest(body, chain.concat(referencedItems(memory.store, items)));
  const traits = traitsOf(decoded.model);
  const asked =
    traits === undefined ? { brain: decoded.brain, rejected: 0 } : askInText(decoded.brain, traits);
  const request = { ...decoded, ...(traits === undefined ? {} : { lettersPerDelta }), brain: asked.brain };
  const thought = { request, rejected: asked.rejected, answer: think(asked.brain) };
  if (isSelfContained(items, chain)) remember(memory.decoded, text, thought);
  return thought;
}

/** Remembers a thought by the text that it is about; the oldest go first. */
export function remember<T>(decoded: Map<string, T>, text: string, thought: T): void {
  if (text.length > longestRemembered) return;
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

/** The faults that strike a request of so many rejected calls. */
export function strike(
  faults: readonly Fault[],
  brain: BrainRequest,
  rejected: number,
): { readonly faults: Faults; readonly hop: 1 | 2 } {
  const since = sinceQuestion(brain.history);
  const open = brain.tools.some((tool) => menuOf(tool).length > 0 || skillsOf(tool).length > 0);
  const hop = open && !loadsSkill(brain) ? 1 : 2;
  const round = since.picks + since.skills.length + 1;
  return { faults: new Faults(faults, { hop, round, attempt: rejected + 1 }), hop };
}

/** What is said in the end: the answer with its faults, and its calls in words where the model has no tools. */
export function say(
  answer: BrainAnswer,
  asked: { readonly model: string; readonly brain: BrainRequest; readonly faults: Faults },
): BrainAnswer {
  const bent = bendAnswer(answer, asked.faults, asked.brain);
  const traits = traitsOf(asked.model);
  if (traits === undefined) return bent;
  const slip = asked.faults.value('malformed_call', 'slip', 'trailing_comma');
  if (slip !== undefined && !isSlip(slip)) {
    const known = Object.keys(slips).join(', ');
    throw invalid('x-stand-in-fault', null, `Unknown slip: '${slip}'. Known are ${known}.`);
  }
  return writeCalls(bent, traits, slip);
}

/** Builds the response of a thought and remembers it. */
export function answerTurn(memory: Memory, thought: Thought, faults: Faults): Turn {
  const { request } = thought;
  const answer = say(thought.answer, { model: request.model, brain: request.brain, faults });
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
