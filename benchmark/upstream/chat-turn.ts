/** One turn of `POST /v1/chat/completions`: from the body to the answer. */
import { invalid } from './api-error.ts';
import { think } from './brain/index.ts';
import type { BrainAnswer } from './brain/index.ts';
import { buildChoices, checkChat, completionChunks, completionObject, decodeChat } from './chat/index.ts';
import type { ChatOutput, ChatRequest, ChatUsage, Completion } from './chat/index.ts';
import { parseBody } from './check-fields.ts';
import { failEarly } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { bendChunks, bendCompletion } from './faults/index.ts';
import type { Faults } from './faults/index.ts';
import { objectsOf, parseJson } from './json-value.ts';
import type { JsonObject } from './json-value.ts';
import { doneMarker, sendFrames, sendJson } from './send.ts';
import type { Frame } from './send.ts';
import { askInText, traitsOf } from './text-model/index.ts';
import { remember, say, strike } from './turn.ts';
import type { Memory } from './turn.ts';
import { tokensOf } from './usage/index.ts';
import type { Usage } from './wire/index.ts';

/** A chat request and what the brain makes of it. */
export interface ChatThought {
  readonly body: JsonObject;
  readonly request: ChatRequest;
  readonly rejected: number;
  readonly answer: BrainAnswer;
}

/** Answers a chat. Throws an `ApiError` for what OpenAI would refuse. */
export async function chatTurn(exchange: Exchange): Promise<void> {
  const { memory, log } = exchange;
  const known = memory.chats.get(log.bodyText);
  log.body = known?.body ?? parseJson(log.bodyText);
  const thought = known ?? takeIn(memory, log.bodyText, parseBody(log.body));
  const { request, body } = thought;
  const { faults, hop } = strike(exchange.faults, request.brain, thought.rejected);
  log.hop = hop;
  const outlet = { ...exchange.outlet, faults };
  if (await failEarly(outlet)) return;
  demandReasoning(body, faults);
  const completion = complete(memory, thought, faults);
  if (completion.usage !== null) log.usage = inOtherWords(completion.usage);
  if (request.stream) {
    await sendFrames(outlet, framesOf(bendChunks(completionChunks(completion), faults, completion), faults));
  } else {
    sendJson(outlet, 200, JSON.stringify(bendCompletion(completionObject(completion), faults, completion)));
  }
}

function takeIn(memory: Memory, text: string, body: JsonObject): ChatThought {
  checkChat(body);
  const decoded = decodeChat(body);
  const traits = traitsOf(decoded.model);
  const asked =
    traits === undefined ? { brain: decoded.brain, rejected: 0 } : askInText(decoded.brain, traits);
  const request = { ...decoded, brain: asked.brain };
  const thought = { body, request, rejected: asked.rejected, answer: think(asked.brain) };
  remember(memory.chats, text, thought);
  return thought;
}

/** Some servers want what the model thought before its calls back with them. */
function demandReasoning(body: JsonObject, faults: Faults): void {
  if (faults.value('reasoning_content', 'demand', 'no') !== 'yes') return;
  const messages = objectsOf(body['messages']);
  const asked = messages.findLastIndex((message) => message['role'] === 'user');
  for (const message of messages.slice(asked + 1)) {
    if (!Array.isArray(message['tool_calls']) || typeof message['reasoning_content'] === 'string') continue;
    const text = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
    throw invalid('messages', null, text);
  }
}

function complete(memory: Memory, { request, answer }: ChatThought, faults: Faults): Completion {
  const output = buildChoices(
    request,
    say(answer, { model: request.model, brain: request.brain, faults }),
    memory.nextId,
  );
  const cached = memory.cache.look(request.cacheKey, request.prompt);
  return {
    id: memory.nextId('chatcmpl').replace('_', '-'),
    created: Math.floor(Date.now() / 1000),
    request,
    choices: output.choices,
    usage: faults.has('no_usage') ? null : usageOf(request, output, cached),
  };
}

function usageOf(request: ChatRequest, output: ChatOutput, cached: number): ChatUsage {
  const prompt = tokensOf(request.prompt);
  return {
    prompt_tokens: prompt,
    completion_tokens: output.outputTokens,
    total_tokens: prompt + output.outputTokens,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: output.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** The usage as the Responses API says it: whoever reads the log need not ask which protocol it was. */
function inOtherWords(usage: ChatUsage): Usage {
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      cached_tokens: usage.prompt_tokens_details.cached_tokens,
      cache_write_tokens: 0,
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: usage.completion_tokens_details.reasoning_tokens },
    total_tokens: usage.total_tokens,
  };
}

function* framesOf(chunks: readonly JsonObject[], faults: Faults): Iterable<Frame> {
  for (const chunk of chunks) yield { data: JSON.stringify(chunk) };
  const early = (['no_done', 'no_terminal', 'error_event'] as const).some((mode) => faults.has(mode));
  if (!early) yield { data: doneMarker };
}
