/** The chat completion object, complete as OpenAI's (`openai` 7.59 `ChatCompletion`). */
import type { BrainAnswer, BrainPart } from '../brain/index.ts';
import type { JsonObject } from '../json-value.ts';
import { cutParts, thinkingTokens } from '../wire/index.ts';
import type { NextId } from '../wire/index.ts';
import type { ChatRequest } from './decode-chat.ts';

/** A call as it stands in a message. */
export type ChatCall =
  | {
      readonly id: string;
      readonly type: 'function';
      readonly function: { readonly name: string; readonly arguments: string };
    }
  | {
      readonly id: string;
      readonly type: 'custom';
      readonly custom: { readonly name: string; readonly input: string };
    };

/** Why a choice ended. */
export type FinishReason = 'stop' | 'tool_calls' | 'function_call' | 'length';

/** One choice, before it is written. */
export interface ChatChoice {
  /** Null where there are calls only. */
  readonly content: string | null;
  readonly calls: readonly ChatCall[];
  readonly finish: FinishReason;
  /** The thought, which only some servers show. */
  readonly thought: string;
}

/** Token counts of a completion. */
export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number; readonly audio_tokens: number };
  readonly completion_tokens_details: {
    readonly reasoning_tokens: number;
    readonly audio_tokens: number;
    readonly accepted_prediction_tokens: number;
    readonly rejected_prediction_tokens: number;
  };
}

/** A completion that is ready to be written. */
export interface Completion {
  readonly id: string;
  readonly created: number;
  readonly request: ChatRequest;
  readonly choices: readonly ChatChoice[];
  /** Null where a fault takes it away. */
  readonly usage: ChatUsage | null;
}

/** Choices and what they cost. */
export interface ChatOutput {
  readonly choices: readonly ChatChoice[];
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** Says the answer as often as choices are asked for, each cut where the limit of tokens ends it. */
export function buildChoices(request: ChatRequest, answer: BrainAnswer, nextId: NextId): ChatOutput {
  const { effort, maxTokens } = request;
  const thinking = effort === undefined ? 0 : Math.min(maxTokens, thinkingTokens(answer.thought, effort));
  const { kept, tokens, complete } = cutParts(answer, maxTokens - thinking);
  const parts = kept.map(({ part }) => part);
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const choices = Array.from({ length: request.choices }, (): ChatChoice => {
    const calls = parts.flatMap((part) => callOf(part, nextId));
    const ended = calls.length === 0 ? 'stop' : request.legacy ? 'function_call' : 'tool_calls';
    return {
      content: texts.length === 0 && (calls.length > 0 || !complete) ? null : texts.join('\n\n'),
      calls,
      finish: complete ? ended : 'length',
      thought: answer.thought,
    };
  });
  const reasoningTokens = thinking * request.choices;
  return { choices, outputTokens: reasoningTokens + tokens * request.choices, reasoningTokens };
}

function callOf(part: BrainPart, nextId: NextId): readonly ChatCall[] {
  switch (part.kind) {
    case 'text':
      return [];
    case 'call': {
      const inner = { name: part.name, arguments: part.arguments };
      return [{ id: nextId('call'), type: 'function', function: inner }];
    }
    case 'custom':
      return [{ id: nextId('call'), type: 'custom', custom: { name: part.name, input: part.input } }];
    default:
      return part satisfies never;
  }
}

/** Builds the object. */
export function completionObject({ id, created, request, choices, usage }: Completion): JsonObject {
  return {
    id,
    object: 'chat.completion',
    created,
    model: request.model,
    choices: choices.map((choice, index) => ({
      index,
      message: messageOf(choice, request.legacy),
      logprobs: null,
      finish_reason: choice.finish,
    })),
    ...(usage === null ? {} : { usage }),
    service_tier: 'default',
    system_fingerprint: 'fp_5ca1ab1e',
  };
}

function messageOf({ content, calls }: ChatChoice, legacy: boolean): JsonObject {
  const message = { role: 'assistant', content, refusal: null, annotations: [] };
  const [first] = calls;
  if (first === undefined) return message;
  if (legacy) return first.type === 'function' ? { ...message, function_call: first.function } : message;
  return { ...message, tool_calls: calls };
}
