/** Refuses conversations that do not hang together, in OpenAI's words. */
import { ApiError, invalid } from '../api-error.ts';
import { stringOr } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import { isSealed } from './seal.ts';

/** What the server remembers of an item that it gave out. */
export interface KnownItem {
  readonly item: JsonObject;
  /** False where its response said `store: false`. */
  readonly stored: boolean;
  /** Id of the reasoning item that came right before it. */
  readonly reasoningId: string | undefined;
}

/** Looks an item up by its id. */
export type FindItem = (id: string) => KnownItem | undefined;

/** Checks calls against outputs and items against their reasoning; throws an {@link ApiError}. */
export function checkChain(chain: readonly JsonObject[], items: readonly JsonObject[], find: FindItem): void {
  const all = [...chain, ...items];
  checkOutputs(all);
  for (const [at, item] of items.entries()) {
    if (item['type'] === 'reasoning') checkReasoning(item, items[at + 1], find);
  }
  checkPairs(all, items, find);
}

function checkOutputs(items: readonly JsonObject[]): void {
  const calls = new Set<string>();
  const outputs = new Set<string>();
  for (const item of items) {
    const id = stringOr(item['call_id'], '');
    const type = item['type'];
    if (type === 'function_call' || type === 'custom_tool_call') calls.add(id);
    if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      if (!calls.has(id)) {
        const kind = type === 'function_call_output' ? 'function call' : 'custom tool call';
        throw invalid('input', null, `No tool call found for ${kind} output with call_id ${id}.`);
      }
      outputs.add(id);
    }
  }
  for (const item of items) {
    const id = stringOr(item['call_id'], '');
    if (item['type'] === 'function_call' && !outputs.has(id)) {
      throw invalid('input', null, `No tool output found for function call ${id}.`);
    }
    if (item['type'] === 'custom_tool_call' && !outputs.has(id)) {
      throw invalid('input', null, `No tool output found for custom tool call ${id}.`);
    }
  }
}

function checkReasoning(item: JsonObject, next: JsonObject | undefined, find: FindItem): void {
  const id = stringOr(item['id'], '');
  const sealed = item['encrypted_content'];
  if (typeof sealed === 'string' && !isSealed(sealed, id)) {
    const message = `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
    throw invalid(null, 'invalid_encrypted_content', message);
  }
  const known = find(id);
  if (id !== '' && typeof sealed !== 'string' && known?.stored === false) {
    const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
    throw new ApiError({ status: 404, message, param: 'input' });
  }
  if (known !== undefined && (next === undefined || next['role'] === 'user')) {
    const message = `Item '${id}' of type 'reasoning' was provided without its required following item.`;
    throw invalid('input', null, message);
  }
}

function checkPairs(all: readonly JsonObject[], items: readonly JsonObject[], find: FindItem): void {
  const ids = new Set(all.map((item) => stringOr(item['id'], '')));
  for (const item of items) {
    const type = item['type'];
    if (type !== 'function_call' && type !== 'custom_tool_call') continue;
    const id = stringOr(item['id'], '');
    const needed = find(id)?.reasoningId;
    if (needed !== undefined && !ids.has(needed)) {
      const message = `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${needed}'.`;
      throw invalid('input', null, message);
    }
  }
}
