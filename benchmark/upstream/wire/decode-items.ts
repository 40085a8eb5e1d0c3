/** From Responses items to the brain's conversation, tools and prompt pieces. */
import type { BrainTool, HistoryEntry } from '../brain/index.ts';
import { isObject, objectsOf, stringOr } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import { segmentOf } from '../usage/index.ts';
import type { PromptSegment } from '../usage/index.ts';

/** What an image counts in the prompt, and what wraps a message and a tool. */
const imageTokens = 85;
const messageTokens = 4;
const toolTokens = 1;

/** Items of `input`: a bare string is a user message. */
export function itemsOf(input: unknown): readonly JsonObject[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return objectsOf(input);
}

/** Tools that the model can call, namespaces opened. Hosted tools are not the stand-in's to call. */
export function decodeTools(tools: readonly JsonObject[]): readonly BrainTool[] {
  return tools.flatMap((tool) => {
    if (tool['type'] !== 'namespace') return decodeTool(tool, undefined);
    return objectsOf(tool['tools']).flatMap((inner) => decodeTool(inner, stringOr(tool['name'], '')));
  });
}

function decodeTool(tool: JsonObject, namespace: string | undefined): readonly BrainTool[] {
  const kind = tool['type'];
  if (kind !== 'function' && kind !== 'custom') return [];
  const parameters = isObject(tool['parameters']) ? tool['parameters'] : null;
  const name = stringOr(tool['name'], '');
  const description = stringOr(tool['description'], '');
  const decoded = { kind, name, description, parameters } as const;
  return [namespace === undefined ? decoded : { ...decoded, namespace }];
}

/** Tools that `additional_tools` items bring into sight; of two with one name the later counts. */
export function additionalTools(items: readonly JsonObject[]): readonly JsonObject[] {
  return items
    .filter((item) => item['type'] === 'additional_tools')
    .flatMap((item) => objectsOf(item['tools']));
}

/** The conversation as the brain reads it. */
export function decodeHistory(items: readonly JsonObject[]): readonly HistoryEntry[] {
  return items.flatMap(decodeItem);
}

function decodeItem(item: JsonObject): readonly HistoryEntry[] {
  const callId = stringOr(item['call_id'], '');
  const name = stringOr(item['name'], '');
  switch (item['type'] ?? 'message') {
    case 'message': {
      const { text, images } = readContent(item['content']);
      return [{ kind: 'message', role: stringOr(item['role'], 'user'), text, images }];
    }
    case 'function_call':
      return [{ kind: 'call', callId, name, arguments: stringOr(item['arguments'], '') }];
    case 'custom_tool_call':
      return [{ kind: 'call', callId, name, arguments: stringOr(item['input'], '') }];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ kind: 'output', callId, text: readContent(item['output']).text }];
    default:
      return [];
  }
}

function readContent(content: unknown): { readonly text: string; readonly images: number } {
  if (typeof content === 'string') return { text: content, images: 0 };
  const parts = objectsOf(content);
  const texts = parts.map((part) => stringOr(part['text'], stringOr(part['refusal'], '')));
  const images = parts.filter((part) => part['type'] === 'input_image').length;
  return { text: texts.filter((text) => text !== '').join('\n'), images };
}

/** Instructions as a prompt piece. */
export function instructionSegment(instructions: string): PromptSegment {
  return segmentOf(`system\n${instructions}`, messageTokens);
}

/** Tools as prompt pieces, one a tool. */
export function toolSegments(tools: readonly JsonObject[]): readonly PromptSegment[] {
  return tools.map((tool) => segmentOf(JSON.stringify(tool), toolTokens));
}

/** Items as prompt pieces, in order; `additional_tools` count where they stand. */
export function itemSegments(items: readonly JsonObject[]): readonly PromptSegment[] {
  return items.flatMap((item) => {
    if (item['type'] === 'additional_tools') return toolSegments(objectsOf(item['tools']));
    const [entry] = decodeItem(item);
    if (entry === undefined) return [segmentOf(renderOther(item), messageTokens)];
    switch (entry.kind) {
      case 'message':
        return [segmentOf(`${entry.role}\n${entry.text}`, messageTokens + entry.images * imageTokens)];
      case 'call':
        return [segmentOf(`call ${entry.name}\n${entry.arguments}`, messageTokens)];
      case 'output':
        return [segmentOf(`tool\n${entry.text}`, messageTokens)];
      default:
        return entry satisfies never;
    }
  });
}

/** Reasoning counts by its summary; the blob is no text that the model reads. */
function renderOther(item: JsonObject): string {
  if (item['type'] !== 'reasoning') return JSON.stringify(item);
  return objectsOf(item['summary'])
    .map((part) => stringOr(part['text'], ''))
    .join('\n');
}
