import { isJsonObject, parseJson, scanArray, scanObject, sliceSpan, stringField } from '../../json/index.ts';
import type { ArrayScan, JsonObject, ObjectScan, Span } from '../../json/index.ts';
import type { DeclaredTool, OneHopReason, ToolKind, ToolList } from '../../turn/index.ts';
import { RememberedLists } from '../remembered-lists.ts';
import { candidatesOf } from '../tool-candidates.ts';

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

const remembered = new RememberedLists<ResponsesToolList>();

const noTools: ResponsesToolList = { tools: [], arrays: [], oneHopReason: undefined };

/** The list that was read from these texts, while it is remembered. */
export function recallTools(arrayTexts: readonly string[]): ResponsesToolList | undefined {
  return remembered.recall(arrayTexts);
}

/**
 * Reads the tools out of the arrays that hold them: the request's `tools`, then each `additional_tools` item's.
 *
 * Equal texts give the same object while it is remembered.
 *
 * @param arrayTexts JSON that `JSON.parse` has accepted
 */
export function readTools(arrayTexts: readonly string[]): ResponsesToolList {
  if (arrayTexts.length === 0) return noTools;
  return remembered.of(arrayTexts, (texts) => new ToolReader().read(texts));
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
    if (isJsonObject(value) && value['type'] === 'namespace') {
      const inner = innerArray(text, element);
      const namespace = stringField(value, 'name');
      if (inner !== undefined && namespace !== undefined) {
        this.noteOneHop(value);
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
      candidates: candidatesOf(value, kind, text),
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

/** The tools inside a namespace, unless it leaves open which of its members count. */
function innerArray(text: string, element: Span): ArrayScan | undefined {
  const scan = scanObject(text, element.start);
  const [tools, ...others] = scan.members.filter((member) => member.key === 'tools');
  if (tools === undefined || others.length > 0 || hasSeveralNames(scan)) return undefined;
  return text[tools.value.start] === '[' ? scanArray(text, tools.value.start) : undefined;
}

function kindOf(value: unknown, text: string): ToolKind {
  if (!isJsonObject(value)) return 'unreadable';
  const type = stringField(value, 'type');
  // A namespace that comes here could not be taken apart, or stands inside another one.
  if (type === undefined || type === 'namespace') return 'unreadable';
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
