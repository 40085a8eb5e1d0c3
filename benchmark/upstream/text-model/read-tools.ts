/** Tools as the system text describes them, and what it demands in words. */
import type { BrainTool, HistoryEntry, ToolDemand } from '../brain/index.ts';
import { isObject, stringOr } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import { findObjects } from './find-objects.ts';
import type { TextTraits } from './traits.ts';

/** What a system text says about tools. */
export interface ToldTools {
  readonly tools: readonly BrainTool[];
  readonly demand: ToolDemand;
  readonly parallel: boolean;
}

/**
 * Reads the system texts of a conversation. A text describes tools where it holds JSON objects with a `name` and
 * `parameters`, bare or as `{type: "function", function: {…}}`, and speaks of `<tool_call>`; a model that writes fenced
 * JSON whatever it is told needs no word of tags.
 */
export function readTools(history: readonly HistoryEntry[], { format }: TextTraits): ToldTools {
  const texts = history.flatMap((entry) =>
    entry.kind === 'message' && (entry.role === 'system' || entry.role === 'developer') ? [entry.text] : [],
  );
  const speaking = texts.filter((text) => format === 'fenced' || text.includes('<tool_call>'));
  const tools = new Map<string, BrainTool>();
  const words: string[] = [];
  for (const text of speaking) {
    const found = findObjects(text, (value) => toolIn(value) !== undefined);
    for (const { value } of found) {
      const tool = toolIn(value);
      if (tool !== undefined) tools.set(tool.name, tool);
    }
    if (found.length > 0) words.push(withoutObjects(text, found));
  }
  const said = words.join('\n');
  return {
    tools: [...tools.values()],
    demand: readDemand(said, [...tools.keys()]),
    parallel: !oneCall.test(said),
  };
}

/** `parallel_tool_calls: false` in words. */
const oneCall =
  /\b(?:(?:only|at most|exactly|not more than) one (?:tool |function )?(?:call|tool|function)|one (?:tool|call|function)(?: call)? at most)\b/i;

function toolIn(value: JsonObject): BrainTool | undefined {
  const inner = value['type'] === 'function' && isObject(value['function']) ? value['function'] : value;
  const { name, parameters } = inner;
  if (typeof name !== 'string' || !isObject(parameters)) return undefined;
  return { kind: 'function', name, description: stringOr(inner['description'], ''), parameters };
}

function withoutObjects(
  text: string,
  found: readonly { readonly start: number; readonly end: number }[],
): string {
  let at = 0;
  const rest = found.map(({ start, end }) => {
    const piece = text.slice(at, start);
    at = end;
    return piece;
  });
  return rest.join(' ') + text.slice(at);
}

/** `tool_choice` in words: "must call the tool `x`", "must call one of the tools". */
function readDemand(said: string, names: readonly string[]): ToolDemand {
  for (const match of said.matchAll(
    /\bmust (?:now )?(?:call|use) (?:the )?(?:tool|function)? ?[`"']?([\w.-]+)/gi,
  )) {
    const name = names.find((known) => known === match[1] || known === match[1]?.replace(/\.$/, ''));
    if (name !== undefined) return { mode: 'named', name };
  }
  const required =
    /\bmust (?:now )?(?:call|use|answer with|reply with) (?:at least one|one|a|some|any|exactly one|only one)\b/i;
  return { mode: required.test(said) ? 'required' : 'auto' };
}
