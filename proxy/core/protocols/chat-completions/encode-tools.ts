import {
  applyEdits,
  editElements,
  editMembers,
  isJsonObject,
  lastMember,
  parseJson,
  scanObject,
  sliceSpan,
} from '../../json/index.ts';
import type { Edit } from '../../json/index.ts';
import type { AddedTool, RequestChanges, ToolDefinition } from '../../turn/index.ts';
import type { ChatTurn } from './decode-request.ts';

/** What becomes of the app's `tools`. */
export interface ToolsEdit {
  readonly edits: readonly Edit[];
  /** A value for `tools`: `null` takes the member out, `undefined` leaves it to the edits. */
  readonly member: string | null | undefined;
  /** The app's tools are gone and none of ours came: nothing may be said about tools any more. */
  readonly isEmptied: boolean;
}

export function editTools(turn: ChatTurn, changes: RequestChanges): ToolsEdit {
  const { text, scan } = turn.toolList;
  const added = changes.added.map(encodeAdded);
  if (scan === undefined) {
    const member = added.length === 0 ? undefined : `[${added.join(',')}]`;
    return { edits: [], member, isEmptied: false };
  }
  const { elements } = scan;
  const isEmptied =
    added.length === 0 && elements.length > 0 && elements.every((_, id) => changes.tools[id] === null);
  if (isEmptied) return { edits: [], member: null, isEmptied };
  const insertions = changes.added.map((tool, index) => ({
    before: (tool.kind === 'definition' ? tool.before : undefined) ?? elements.length,
    text: added[index] ?? '',
  }));
  const base = turn.toolSpans[0]?.start ?? 0;
  const edits = editElements(
    text,
    scan,
    elements.map((_, id) => changes.tools[id]),
    insertions,
  );
  return {
    edits: edits.map((edit) => ({ start: edit.start + base, end: edit.end + base, text: edit.text })),
    member: undefined,
    isEmptied,
  };
}

function encodeAdded(tool: AddedTool): string {
  return tool.kind === 'definition' ? encodeDefinition(tool.definition) : nested(tool.text);
}

/** `strict` is named since a server's default of true would forbid array bounds. */
function encodeDefinition({ name, description, parameters }: ToolDefinition): string {
  return (
    `{"type":"function","function":{"name":${JSON.stringify(name)},` +
    `"description":${JSON.stringify(description)},"parameters":${parameters},"strict":false}}`
  );
}

/** A declaration in the flat shape of the Responses API as chat completions have it; one that is nested stays. */
function nested(text: string): string {
  const value = parseJson(text);
  if (!isJsonObject(value)) return text;
  const { type } = value;
  if ((type !== 'function' && type !== 'custom') || type in value) return text;
  const scan = scanObject(text);
  const format = type === 'custom' ? nestedFormat(text) : undefined;
  const members = format === undefined ? { type: null } : { type: null, format };
  return `{"type":"${type}","${type}":${applyEdits(text, editMembers(text, scan, members))}}`;
}

/** A grammar stands in an object of its own here. */
function nestedFormat(text: string): string | undefined {
  const member = lastMember(scanObject(text), 'format');
  if (member === undefined) return undefined;
  const own = sliceSpan(text, member.value);
  const value = parseJson(own);
  if (!isJsonObject(value) || value['type'] !== 'grammar' || 'grammar' in value) return undefined;
  return `{"type":"grammar","grammar":${applyEdits(own, editMembers(own, scanObject(own), { type: null }))}}`;
}
