import { LRUCache } from 'lru-cache';

import { isJsonObject, parseJson, scanArray, scanObject, sliceSpan, stringField } from '../../json/index.ts';
import type { ArrayScan, JsonObject, ObjectScan, Span } from '../../json/index.ts';
import type { DeclaredTool, OneHopReason, ToolKind, ToolList } from '../../turn/index.ts';

/** One element of an array of tools. */
export type ToolEntry =
  | { readonly kind: 'tool'; readonly id: number }
  /** A namespace: its tools stand in an array of their own inside the element. */
  | { readonly kind: 'namespace'; readonly ids: readonly number[]; readonly inner: ArrayScan };

/** An array of tools somewhere in the request; positions count from the start of the array's own text. */
export interface ToolArray {
  readonly text: string;
  readonly scan: ArrayScan;
  readonly entries: readonly ToolEntry[];
}

/** The tools of a request with the places where they stand. */
export interface ResponsesToolList extends ToolList {
  readonly arrays: readonly ToolArray[];
  readonly oneHopReason: OneHopReason | undefined;
}

/** Characters of tool text to remember; apps send the same tools turn after turn. */
const remembered = new LRUCache<string, ResponsesToolList>({
  max: 256,
  maxSize: 16_000_000,
  sizeCalculation: (_list, key) => key.length + 1,
});

/**
 * Reads the tools out of the arrays that hold them: the request's `tools`, then each `additional_tools` item's.
 *
 * Equal texts give the same object while it is remembered.
 */
export function readTools(arrayTexts: readonly string[]): ResponsesToolList {
  const key = arrayTexts.length === 1 ? (arrayTexts[0] ?? '') : JSON.stringify(arrayTexts);
  let list = remembered.get(key);
  if (list === undefined) remembered.set(key, (list = new ToolReader().read(arrayTexts)));
  return list;
}

class ToolReader {
  private readonly tools: Omit<DeclaredTool, 'rollable'>[] = [];
  private oneHopReason: OneHopReason | undefined;

  read(arrayTexts: readonly string[]): ResponsesToolList {
    const arrays = arrayTexts.map((text) => this.readArray(text));
    const counts = new Map<string, number>();
    for (const tool of this.tools) counts.set(tool.key, (counts.get(tool.key) ?? 0) + 1);
    const tools = this.tools.map((tool) => ({
      ...tool,
      rollable: (tool.kind === 'function' || tool.kind === 'custom') && counts.get(tool.key) === 1,
    }));
    return { tools, arrays, oneHopReason: this.oneHopReason };
  }

  private readArray(text: string): ToolArray {
    const scan = scanArray(text);
    const entries = scan.elements.map((element) => this.readEntry(text, element));
    return { text, scan, entries };
  }

  private readEntry(text: string, element: Span): ToolEntry {
    const own = sliceSpan(text, element);
    const value = parseJson(own);
    if (isJsonObject(value) && value['type'] === 'namespace' && Array.isArray(value['tools'])) {
      const members = scanObject(text, element.start);
      const toolsMembers = members.members.filter((member) => member.key === 'tools');
      const namespace = stringField(value, 'name');
      const only = toolsMembers.length === 1 ? toolsMembers[0] : undefined;
      if (only !== undefined && namespace !== undefined && !hasSeveralNames(members)) {
        const inner = scanArray(text, only.value.start);
        const ids = inner.elements.map((span) => this.add(sliceSpan(text, span), namespace));
        return { kind: 'namespace', ids, inner };
      }
    }
    return { kind: 'tool', id: this.add(own, undefined) };
  }

  private add(text: string, namespace: string | undefined): number {
    const id = this.tools.length;
    const value = parseJson(text);
    if (isJsonObject(value)) this.noteOneHop(value);
    const kind = kindOf(value, text);
    const name = nameOf(value, kind);
    this.tools.push({
      id,
      key: namespace === undefined ? name : `${namespace}.${name}`,
      name,
      namespace,
      kind,
      candidates: kind === 'unreadable' ? candidateNames(value, text) : [],
      text,
      definition: { start: 0, end: text.length },
    });
    return id;
  }

  /** Tools that the upstream loads or calls by itself have an order of their own that a second hop would break. */
  private noteOneHop(tool: JsonObject): void {
    const reason = ONE_HOP_TYPES.get(stringField(tool, 'type') ?? '');
    if (reason !== undefined) this.oneHopReason ??= reason;
    else if (tool['defer_loading'] === true) this.oneHopReason ??= 'deferred_tools';
  }
}

const ONE_HOP_TYPES: ReadonlyMap<string, OneHopReason> = new Map([
  ['tool_search', 'tool_search'],
  ['programmatic_tool_calling', 'programmatic_tool_calling'],
]);

function kindOf(value: unknown, text: string): ToolKind {
  if (!isJsonObject(value)) return 'unreadable';
  const type = stringField(value, 'type');
  if (type === undefined) return 'unreadable';
  if (hasSeveralNames(scanObject(text))) return 'unreadable';
  if (type !== 'function' && type !== 'custom') return 'hosted';
  const name = stringField(value, 'name');
  return name === undefined || name === '' ? 'unreadable' : type;
}

function nameOf(value: unknown, kind: ToolKind): string {
  if (!isJsonObject(value) || kind === 'unreadable') return '';
  const type = stringField(value, 'type') ?? '';
  return kind === 'hosted' ? type : (stringField(value, 'name') ?? '');
}

/** With two `name` or `type` keys it is the reader's choice which one counts, so we read none of them. */
function hasSeveralNames(scan: ObjectScan): boolean {
  const count = (key: string): number => scan.members.filter((member) => member.key === key).length;
  return count('name') > 1 || count('type') > 1;
}

/** Every name an unreadable tool could be taken for, so that a deny rule still reaches it. */
function candidateNames(value: unknown, text: string): string[] {
  if (!isJsonObject(value)) return [];
  return scanObject(text).members.flatMap((member) => {
    if (member.key !== 'name' && member.key !== 'type') return [];
    const name = parseJson(sliceSpan(text, member.value));
    return typeof name === 'string' ? [name] : [];
  });
}
