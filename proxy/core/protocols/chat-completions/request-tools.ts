import { isJsonObject, parseJson, scanArray, scanObject, sliceSpan, stringField } from '../../json/index.ts';
import type { ArrayScan, JsonObject, Span } from '../../json/index.ts';
import type { DeclaredTool, ToolKind, ToolList } from '../../turn/index.ts';
import { RememberedLists } from '../remembered-lists.ts';
import { candidatesOf } from '../tool-candidates.ts';
import { readNest, scanNest } from './names.ts';

/** The tools of a request; each is one element of its one array. */
export interface ChatToolList extends ToolList {
  /** The array's own text; positions count from its start. */
  readonly text: string;
  /** `undefined` where the request has no array of tools. */
  readonly scan: ArrayScan | undefined;
}

const remembered = new RememberedLists<ChatToolList>();

export const noTools: ChatToolList = { tools: [], text: '', scan: undefined };

/** The list that was read from this text, while it is remembered. */
export function recallTools(text: string): ChatToolList | undefined {
  return remembered.recall([text]);
}

/**
 * Reads the tools of a request. Equal texts give the same object while it is remembered.
 *
 * @param text an array that `JSON.parse` has accepted
 */
export function readTools(text: string): ChatToolList {
  return remembered.of([text], ([own = '[]']) => readArray(own));
}

type Undecided = Omit<DeclaredTool, 'rollable'>;

function readArray(text: string): ChatToolList {
  const scan = scanArray(text);
  const declared = scan.elements.map((element, id) => readTool(sliceSpan(text, element), id));
  const counts = new Map<string, number>();
  for (const { key } of declared) counts.set(key, (counts.get(key) ?? 0) + 1);
  const tools = declared.map((tool) => ({
    ...tool,
    rollable: (tool.kind === 'function' || tool.kind === 'custom') && counts.get(tool.key) === 1,
  }));
  return { tools, text, scan };
}

function readTool(text: string, id: number): Undecided {
  const value = parseJson(text);
  const kind = isJsonObject(value) ? kindOf(value, text) : 'unreadable';
  const name = isJsonObject(value) ? nameOf(value, kind) : '';
  return {
    id,
    key: name,
    name,
    namespace: undefined,
    kind,
    candidates: candidatesOf(value, kind, text),
    text,
    definition: definitionSpan(kind, text),
  };
}

/**
 * A function or free-text tool is one whose type and nested object agree. Where they do not, or a second name stands beside
 * them, it is the server's choice which counts, so we read none of them.
 */
function kindOf(value: JsonObject, text: string): ToolKind {
  const type = stringField(value, 'type');
  // A namespace is of the Responses API: whoever reads it here finds tools inside.
  if (type === undefined || type === 'namespace' || hasSeveralMeanings(text)) return 'unreadable';
  const nested = 'function' in value || 'custom' in value;
  if (type !== 'function' && type !== 'custom') return nested ? 'unreadable' : 'hosted';
  const other = type === 'function' ? 'custom' : 'function';
  const named = readNest(value);
  if (named?.kind !== type || other in value || !named.name) return 'unreadable';
  const beside = value['name'];
  return beside === undefined || beside === named.name ? type : 'unreadable';
}

function hasSeveralMeanings(text: string): boolean {
  const scan = scanObject(text);
  const nest = scanNest(text, scan);
  const keys = scan.members.map(({ key }) => key).filter((key) => TOLD_BY.has(key));
  const inner = nest?.members.filter(({ key }) => key === 'name').length ?? 0;
  return new Set(keys).size < keys.length || inner > 1;
}

/** The members that say what a tool is. */
const TOLD_BY: ReadonlySet<string> = new Set(['type', 'name', 'function', 'custom']);

function nameOf(value: JsonObject, kind: ToolKind): string {
  if (kind === 'unreadable') return '';
  return (kind === 'hosted' ? stringField(value, 'type') : readNest(value)?.name) ?? '';
}

function definitionSpan(kind: ToolKind, text: string): Span {
  const nest = kind === 'function' || kind === 'custom' ? scanNest(text, scanObject(text)) : undefined;
  return nest?.span ?? { start: 0, end: text.length };
}
