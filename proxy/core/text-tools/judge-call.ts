import { Validator } from '@cfworker/json-schema';

import { isJsonObject, parseJson, stringField } from '../json/index.ts';
import type { JsonObject } from '../json/index.ts';
import { explainUnknownName } from '../meta-tools/index.ts';
import type { Offer, OfferedTool } from './offered-tools.ts';
import type { WrittenCall } from './written-call.ts';

/** What a written call is worth. */
export type Judgement =
  | { readonly kind: 'fit'; readonly tool: OfferedTool }
  /** It must not run; `reason` says why in words for the model. `tool` where the name is known. */
  | { readonly kind: 'unfit'; readonly tool: OfferedTool | undefined; readonly reason: string };

const MAX_ERRORS = 5;
const MAX_ERROR_CHARS = 300;

/** Whether a call can run: its tool is offered, and its arguments satisfy the tool's schema. */
export function judgeCall(call: WrittenCall, offer: Offer): Judgement {
  const tool = offer.tools.find(({ key }) => key === call.name);
  if (tool === undefined) return { kind: 'unfit', tool, reason: unknownName(call.name, offer) };
  const value = parseJson(call.argumentsText);
  const faults = tool.kind === 'custom' ? inputFaults(value) : schemaFaults(value, tool.schema);
  if (faults.length === 0) return { kind: 'fit', tool };
  const listed = faults.map((fault) => `- ${fault}`).join('\n');
  return {
    kind: 'unfit',
    tool,
    reason: `The arguments of ${tool.key} do not fit its schema, so it was not called:\n${listed}\nCall it again with arguments that fit, or answer without it.`,
  };
}

function unknownName(name: string, offer: Offer): string {
  const known = offer.tools.map(({ key }) => key);
  return `${explainUnknownName('tool', name, known)}\nCall a tool by the name that it has, or answer without one.`;
}

function inputFaults(value: unknown): string[] {
  const isInput = isJsonObject(value) && stringField(value, 'input') !== undefined;
  return isInput ? [] : ['"input" has to be there and to be a string.'];
}

/** A schema that cannot be read forbids nothing: the app gets the call and judges it. */
function schemaFaults(value: unknown, schema: JsonObject | undefined): string[] {
  if (schema === undefined) return [];
  try {
    const { valid, errors } = new Validator({ ...schema }, '2020-12').validate(value);
    if (valid) return [];
    // What is inside comes first: the outer errors only say that something inside is wrong.
    return errors
      .toReversed()
      .slice(0, MAX_ERRORS)
      .map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`.slice(0, MAX_ERROR_CHARS));
  } catch {
    return [];
  }
}
