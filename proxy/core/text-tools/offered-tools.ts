import {
  isJsonArray,
  isJsonObject,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
  stringField,
} from '../json/index.ts';
import type { JsonObject } from '../json/index.ts';
import type { Protocol } from '../turn/index.ts';

/** A tool that is described to the model in words. */
export interface OfferedTool {
  /** What the model calls it: its name, with its namespace before it if it has one. */
  readonly key: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly kind: 'function' | 'custom';
  readonly description: string | undefined;
  /** The JSON Schema of its arguments as it was sent; `undefined` for a custom tool and where there is none. */
  readonly parameters: string | undefined;
  readonly schema: JsonObject | undefined;
  /** The grammar of a custom tool's input, as it was sent. */
  readonly inputFormat: string | undefined;
}

/** What a hop lets the model call. */
export interface Offer {
  readonly tools: readonly OfferedTool[];
  /** `may`: as the model likes. `must`: one at least. */
  readonly demand: 'may' | 'must';
  /** `several` calls in one answer, or `one` at most. */
  readonly calls: 'several' | 'one';
  /** True if `tool_choice` left some of the tools out. */
  readonly isNarrowed: boolean;
}

export const NO_OFFER: Offer = { tools: [], demand: 'may', calls: 'several', isNarrowed: false };

/**
 * Reads tools that text can offer: those that the app runs. Hosted tools run at an upstream that has tools, so they are left out.
 *
 * @param arrayText JSON that `JSON.parse` has accepted
 */
export function readOfferedTools(arrayText: string, protocol: Protocol): OfferedTool[] {
  if (!isJsonArray(parseJson(arrayText))) return [];
  return scanArray(arrayText).elements.flatMap((element) =>
    readTool(sliceSpan(arrayText, element), protocol, undefined),
  );
}

function readTool(text: string, protocol: Protocol, namespace: string | undefined): OfferedTool[] {
  const value = parseJson(text);
  if (!isJsonObject(value)) return [];
  const type = stringField(value, 'type');
  if (type === 'namespace' && protocol === 'responses' && namespace === undefined) {
    const inner = memberText(text, 'tools');
    if (!isJsonArray(value['tools']) || inner === undefined) return [];
    return scanArray(inner).elements.flatMap((element) =>
      readTool(sliceSpan(inner, element), protocol, stringField(value, 'name')),
    );
  }
  if (type !== 'function' && type !== 'custom') return [];
  const own = protocol === 'chat' ? memberText(text, type) : text;
  return own === undefined ? [] : readDefinition(own, type, namespace);
}

function readDefinition(
  text: string,
  kind: OfferedTool['kind'],
  namespace: string | undefined,
): OfferedTool[] {
  const value = parseJson(text);
  const name = isJsonObject(value) ? stringField(value, 'name') : undefined;
  if (!isJsonObject(value) || name === undefined || name === '') return [];
  const parameters = value['parameters'];
  const schema = kind === 'function' && isJsonObject(parameters) ? parameters : undefined;
  const tool: OfferedTool = {
    key: namespace === undefined ? name : `${namespace}.${name}`,
    name,
    namespace,
    kind,
    description: stringField(value, 'description'),
    parameters: schema === undefined ? undefined : memberText(text, 'parameters'),
    schema,
    inputFormat: kind === 'custom' && isJsonObject(value['format']) ? memberText(text, 'format') : undefined,
  };
  return [tool];
}

function memberText(text: string, key: string): string | undefined {
  const member = lastMember(scanObject(text), key);
  return member === undefined ? undefined : sliceSpan(text, member.value);
}

/**
 * What `tool_choice` and `parallel_tool_calls` make of the tools. A choice that names no tool of these is left aside, since
 * nobody can be made to call what is not there.
 */
export function makeOffer(tools: readonly OfferedTool[], choice: unknown, parallel: unknown): Offer {
  const calls = parallel === false ? 'one' : 'several';
  const free: Offer = { tools, demand: 'may', calls, isNarrowed: false };
  if (choice === 'none') return NO_OFFER;
  if (choice === 'required') return { ...free, demand: 'must' };
  if (!isJsonObject(choice)) return free;
  const type = stringField(choice, 'type');
  if (type === 'function' || type === 'custom') {
    const chosen = tools.filter((tool) => isNamed(tool, choice));
    return chosen.length === 0 ? free : { tools: chosen, demand: 'must', calls, isNarrowed: true };
  }
  // The chat API has mode and tools in an object of its own, the Responses API beside the type.
  const allowed = isJsonObject(choice['allowed_tools']) ? choice['allowed_tools'] : choice;
  const entries = allowed['tools'];
  if (type !== 'allowed_tools' || !isJsonArray(entries)) return free;
  const left = tools.filter((tool) => entries.some((entry) => isJsonObject(entry) && isNamed(tool, entry)));
  const demand = allowed['mode'] === 'required' && left.length > 0 ? 'must' : 'may';
  return { tools: left, demand, calls, isNarrowed: true };
}

function isNamed(tool: OfferedTool, reference: JsonObject): boolean {
  const nested = reference[stringField(reference, 'type') ?? ''];
  const value = isJsonObject(nested) ? nested : reference;
  const name = stringField(value, 'name');
  const namespace = stringField(value, 'namespace');
  if (name === undefined) return false;
  return tool.key === (namespace === undefined ? name : `${namespace}.${name}`) || tool.key === name;
}
