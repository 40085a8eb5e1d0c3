/** The chunks of a streamed chat completion, in OpenAI's order (`openai` 7.59 `ChatCompletionChunk`). */
import type { JsonObject } from '../json-value.ts';
import { cutText } from '../wire/index.ts';
import type { ChatCall, ChatChoice, Completion } from './completion.ts';

/** Characters in one delta of text: few, so that a tag in it comes in pieces. */
const contentLength = 5;

/**
 * All chunks but the closing `[DONE]`: of each choice its role, its text, each call (its name, then its arguments in
 * pieces) and its finish; then the usage where it was asked for, which is null in the chunks before.
 */
export function completionChunks(completion: Completion): readonly JsonObject[] {
  const { id, created, request, choices, usage } = completion;
  const head = {
    id,
    object: 'chat.completion.chunk',
    created,
    model: request.model,
    service_tier: 'default',
    system_fingerprint: 'fp_5ca1ab1e',
  };
  const told = request.includeUsage && usage !== null;
  const tail = told ? { usage: null } : {};
  const chunks: JsonObject[] = choices.flatMap((choice, index) =>
    deltasOf(choice, request.legacy).map(({ delta, finish_reason }) => ({
      ...head,
      choices: [{ index, delta, logprobs: null, finish_reason }],
      ...tail,
    })),
  );
  return told ? [...chunks, { ...head, choices: [], usage }] : chunks;
}

interface Delta {
  readonly delta: JsonObject;
  readonly finish_reason: string | null;
}

function deltasOf(choice: ChatChoice, legacy: boolean): readonly Delta[] {
  const opening = choice.content === null ? null : '';
  const inner: readonly JsonObject[] = [
    { role: 'assistant', content: opening, refusal: null },
    ...cutText(choice.content ?? '', contentLength).map((content) => ({ content })),
    ...(legacy ? choice.calls.slice(0, 1).flatMap(legacyDeltas) : choice.calls.flatMap(callDeltas)),
  ];
  return [
    ...inner.map((delta) => ({ delta, finish_reason: null })),
    { delta: {}, finish_reason: choice.finish },
  ];
}

function callDeltas(call: ChatCall, index: number): readonly JsonObject[] {
  switch (call.type) {
    case 'function': {
      const opened = { index, ...call, function: { ...call.function, arguments: '' } };
      const pieces = cutText(call.function.arguments).map((text) => ({
        index,
        function: { arguments: text },
      }));
      return [opened, ...pieces].map((piece) => ({ tool_calls: [piece] }));
    }
    case 'custom': {
      const opened = { index, ...call, custom: { ...call.custom, input: '' } };
      const pieces = cutText(call.custom.input).map((text) => ({ index, custom: { input: text } }));
      return [opened, ...pieces].map((piece) => ({ tool_calls: [piece] }));
    }
    default:
      return call satisfies never;
  }
}

function legacyDeltas(call: ChatCall): readonly JsonObject[] {
  if (call.type !== 'function') return [];
  return [
    { function_call: { name: call.function.name, arguments: '' } },
    ...cutText(call.function.arguments).map((text) => ({ function_call: { arguments: text } })),
  ];
}
