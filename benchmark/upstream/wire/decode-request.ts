/** From the JSON body of `POST /v1/responses` to what the stand-in works with. */
import type { BrainRequest, TextForm, ToolDemand } from '../brain/index.ts';
import { isObject, numberOf, objectsOf, stringOr, stringsOf } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import type { PromptSegment } from '../usage/index.ts';
import {
  additionalTools,
  decodeHistory,
  decodeTools,
  instructionSegment,
  itemSegments,
  itemsOf,
  toolSegments,
} from './decode-items.ts';

/** How the model shall think. */
export interface ReasoningDemand {
  readonly effort: string;
  readonly summary: boolean;
  readonly encrypted: boolean;
}

/** A request, decoded. */
export interface DecodedRequest {
  readonly body: JsonObject;
  readonly model: string;
  readonly stream: boolean;
  readonly store: boolean;
  readonly background: boolean;
  readonly brain: BrainRequest;
  readonly reasoning: ReasoningDemand | undefined;
  readonly maxOutputTokens: number;
  /** The request's own items, without those of the chain before. */
  readonly items: readonly JsonObject[];
  readonly prompt: readonly PromptSegment[];
  readonly cacheKey: string;
  /** How finely a stream cuts texts; undefined: as usual. */
  readonly lettersPerDelta?: number;
}

/** Decodes a checked body; `chain` are the items of the responses that it continues. */
export function decodeRequest(body: JsonObject, chain: readonly JsonObject[]): DecodedRequest {
  const items = itemsOf(body['input']);
  const all = chain.length === 0 ? items : [...chain, ...items];
  const tools = objectsOf(body['tools']);
  const instructions = body['instructions'];
  const prompt = [
    ...toolSegments(tools),
    ...(typeof instructions === 'string' ? [instructionSegment(instructions)] : []),
    ...itemSegments(all),
  ];
  return {
    body,
    model: stringOr(body['model'], ''),
    stream: body['stream'] === true,
    store: body['store'] !== false,
    background: body['background'] === true,
    brain: {
      tools: visibleTools(tools, all),
      demand: decodeDemand(body['tool_choice']),
      parallel: body['parallel_tool_calls'] !== false,
      history: [...instructionEntry(instructions), ...decodeHistory(all)],
      form: decodeForm(body['text']),
    },
    reasoning: decodeReasoning(body),
    maxOutputTokens: numberOf(body['max_output_tokens']) ?? Infinity,
    items,
    prompt,
    cacheKey: `${stringOr(body['model'], '')}\n${stringOr(body['prompt_cache_key'], '')}`,
  };
}

/** Instructions are a system message that stands first. */
function instructionEntry(instructions: unknown): BrainRequest['history'] {
  if (typeof instructions !== 'string') return [];
  return [{ kind: 'message', role: 'system', text: instructions, images: 0 }];
}

function visibleTools(tools: readonly JsonObject[], items: readonly JsonObject[]): BrainRequest['tools'] {
  const decoded = [...decodeTools(tools), ...decodeTools(additionalTools(items))];
  const byName = new Map(decoded.map((tool) => [`${tool.namespace ?? ''}.${tool.name}`, tool]));
  return [...byName.values()];
}

function decodeDemand(choice: unknown): ToolDemand {
  if (choice === 'none' || choice === 'required') return { mode: choice };
  if (!isObject(choice)) return { mode: 'auto' };
  if (choice['type'] === 'allowed_tools') {
    const allowed = new Set(objectsOf(choice['tools']).map((tool) => stringOr(tool['name'], '')));
    return { mode: choice['mode'] === 'required' ? 'required' : 'auto', allowed };
  }
  const name = choice['name'];
  return typeof name === 'string' ? { mode: 'named', name } : { mode: 'auto' };
}

function decodeForm(text: unknown): TextForm {
  const format = isObject(text) ? text['format'] : undefined;
  if (!isObject(format)) return { kind: 'text' };
  if (format['type'] === 'json_object') return { kind: 'json' };
  const schema = format['schema'];
  return format['type'] === 'json_schema' && isObject(schema) ? { kind: 'schema', schema } : { kind: 'text' };
}

function decodeReasoning(body: JsonObject): ReasoningDemand | undefined {
  const reasoning = body['reasoning'];
  if (!isObject(reasoning) || reasoning['effort'] === 'none') return undefined;
  return {
    effort: stringOr(reasoning['effort'], 'medium'),
    summary: typeof (reasoning['summary'] ?? reasoning['generate_summary']) === 'string',
    encrypted: stringsOf(body['include']).includes('reasoning.encrypted_content'),
  };
}
