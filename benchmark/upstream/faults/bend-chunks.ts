/** Faults in chat completions and in the chunks of their streams, before they are written. */
import type { Completion } from '../chat/index.ts';
import { elementsOf, isObject, objectsOf, parseJson } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import type { Faults } from './parse-faults.ts';

type Bend = (chunks: readonly JsonObject[], faults: Faults, completion: Completion) => readonly JsonObject[];

/** In the order in which they are applied. */
const bends: readonly Bend[] = [
  reasoningChunks,
  wholeCalls,
  objectArguments,
  interleave,
  rotateIds,
  repeatUsage,
  emptyChoices,
  noIndex,
  errorChunk,
  noFinish,
];

/** Applies the faults to the chunks. */
export function bendChunks(
  chunks: readonly JsonObject[],
  faults: Faults,
  completion: Completion,
): readonly JsonObject[] {
  if (faults.none) return chunks;
  return bends.reduce((bent, bend) => bend(bent, faults, completion), chunks);
}

/** Applies the faults to a completion that is no stream. */
export function bendCompletion(body: JsonObject, faults: Faults, { choices }: Completion): JsonObject {
  if (faults.none) return body;
  const bent = objectsOf(body['choices']).map((choice, at) => {
    const message = isObject(choice['message']) ? choice['message'] : {};
    const calls = message['tool_calls'];
    return {
      ...choice,
      message: {
        ...message,
        ...(faults.has('reasoning_content') ? { reasoning_content: choices[at]?.thought ?? '' } : {}),
        ...(Array.isArray(calls) && faults.has('object_arguments')
          ? { tool_calls: objectsOf(calls).map(withObjectArguments) }
          : {}),
      },
    };
  });
  return { ...body, choices: bent };
}

function withObjectArguments(call: JsonObject): JsonObject {
  const inner = call['function'];
  if (!isObject(inner) || typeof inner['arguments'] !== 'string') return call;
  return { ...call, function: { ...inner, arguments: parseJson(inner['arguments']) ?? inner['arguments'] } };
}

/** The thought after each choice's role, in pieces. */
function reasoningChunks(
  chunks: readonly JsonObject[],
  faults: Faults,
  { choices }: Completion,
): readonly JsonObject[] {
  if (!faults.has('reasoning_content')) return chunks;
  return chunks.flatMap((chunk) => {
    const [choice] = objectsOf(chunk['choices']);
    if (choice === undefined || deltaOf(chunk)['role'] === undefined) return [chunk];
    const pieces = choices[Number(choice['index'])]?.thought.match(/.{1,8}/gsu) ?? [];
    return [chunk, ...pieces.map((piece) => withDelta(chunk, { reasoning_content: piece }))];
  });
}

/** A call's pieces become one: what came after its first goes into it. */
function wholeCalls(chunks: readonly JsonObject[], faults: Faults): readonly JsonObject[] {
  if (!faults.has('whole_calls') && !faults.has('object_arguments')) return chunks;
  const whole: JsonObject[] = [];
  for (const chunk of chunks) {
    const piece = pieceOf(chunk);
    const last = whole.at(-1);
    const open = last === undefined ? undefined : pieceOf(last);
    if (last === undefined || piece === undefined || open === undefined || piece['id'] !== undefined) {
      whole.push(chunk);
    } else whole[whole.length - 1] = withDelta(last, { tool_calls: [joined(open, piece)] });
  }
  return whole;
}

function joined(open: JsonObject, piece: JsonObject): JsonObject {
  const kind = isObject(open['custom']) ? 'custom' : 'function';
  const [before, after] = [open[kind], piece[kind]];
  if (!isObject(before) || !isObject(after)) return open;
  const field = kind === 'custom' ? 'input' : 'arguments';
  return { ...open, [kind]: { ...before, [field]: `${String(before[field])}${String(after[field])}` } };
}

function objectArguments(chunks: readonly JsonObject[], faults: Faults): readonly JsonObject[] {
  if (!faults.has('object_arguments')) return chunks;
  return chunks.map((chunk) => {
    const piece = pieceOf(chunk);
    return piece === undefined ? chunk : withDelta(chunk, { tool_calls: [withObjectArguments(piece)] });
  });
}

/** All calls are opened in order, then their arguments come turn by turn. */
function interleave(chunks: readonly JsonObject[], faults: Faults): readonly JsonObject[] {
  if (!faults.has('interleave')) return chunks;
  const first = chunks.findIndex((chunk) => pieceOf(chunk) !== undefined);
  const last = chunks.findLastIndex((chunk) => pieceOf(chunk) !== undefined);
  if (first < 0) return chunks;
  const queues = new Map<unknown, JsonObject[]>();
  for (const chunk of chunks.slice(first, last + 1)) {
    const index = pieceOf(chunk)?.['index'];
    queues.set(index, [...(queues.get(index) ?? []), chunk]);
  }
  const longest = Math.max(...[...queues.values()].map((queue) => queue.length));
  const mixed: JsonObject[] = [];
  for (let at = 0; at < longest; at += 1)
    for (const queue of queues.values()) mixed.push(...queue.slice(at, at + 1));
  return [...chunks.slice(0, first), ...mixed, ...chunks.slice(last + 1)];
}

function rotateIds(chunks: readonly JsonObject[], faults: Faults): readonly JsonObject[] {
  if (!faults.has('rotate_ids')) return chunks;
  return chunks.map((chunk, at) => ({ ...chunk, id: `${String(chunk['id'])}-${String(at)}` }));
}

function repeatUsage(
  chunks: readonly JsonObject[],
  faults: Faults,
  { usage }: Completion,
): readonly JsonObject[] {
  return faults.has('usage_repeated') ? chunks.map((chunk) => ({ ...chunk, usage })) : chunks;
}

/** `unknown_events`: a first chunk without choices and with a field that no client knows, as some vendors send. */
function emptyChoices(chunks: readonly JsonObject[], faults: Faults): readonly JsonObject[] {
  if (!faults.has('unknown_events')) return chunks;
  return [{ ...chunks[0], choices: [], stand_in_note: { text: 'nobody knows me' } }, ...chunks];
}

/** `no_index`: pieces of calls do not say which call they belong to. */
function noIndex(chunks: readonly JsonObject[], faults: Faults): readonly JsonObject[] {
  if (!faults.has('no_index')) return chunks;
  return chunks.map((chunk) => {
    const piece = pieceOf(chunk);
    if (piece === undefined) return chunk;
    const { index, ...rest } = piece;
    return index === undefined ? chunk : withDelta(chunk, { tool_calls: [rest] });
  });
}

/** `error_event`: an error in place of what was to come. */
function errorChunk(chunks: readonly JsonObject[], faults: Faults): readonly JsonObject[] {
  const at = faults.number('error_event', 'event', 4);
  if (at === undefined) return chunks;
  const error = {
    message: 'The stand-in failed on request.',
    type: 'server_error',
    param: null,
    code: 'server_error',
  };
  return [...chunks.slice(0, at), { error }];
}

/** `no_terminal`: the stream ends where its finish would come. */
function noFinish(chunks: readonly JsonObject[], faults: Faults): readonly JsonObject[] {
  if (!faults.has('no_terminal')) return chunks;
  const at = chunks.findIndex((chunk) =>
    objectsOf(chunk['choices']).some((choice) => typeof choice['finish_reason'] === 'string'),
  );
  return at < 0 ? chunks : chunks.slice(0, at);
}

function deltaOf(chunk: JsonObject): JsonObject {
  const delta = objectsOf(chunk['choices'])[0]?.['delta'];
  return isObject(delta) ? delta : {};
}

/** The piece of a call that a chunk brings. */
function pieceOf(chunk: JsonObject): JsonObject | undefined {
  return objectsOf(elementsOf(deltaOf(chunk)['tool_calls']))[0];
}

function withDelta(chunk: JsonObject, delta: JsonObject): JsonObject {
  return { ...chunk, choices: objectsOf(chunk['choices']).map((choice) => ({ ...choice, delta })) };
}
