import {
  applyEdits,
  editElements,
  editMembers,
  isJsonObject,
  lastMember,
  scanArray,
  scanObject,
  sliceSpan,
} from '../../json/index.ts';
import type { Edit, ElementChange } from '../../json/index.ts';
import type {
  AddedTool,
  AllowedChange,
  CarriedItem,
  RequestChanges,
  ToolDefinition,
} from '../../turn/index.ts';
import { withoutReasoning } from '../without-reasoning.ts';
import { isCallItem, keyOf } from './decode-request.ts';
import type { ResponsesTurn } from './decode-request.ts';
import type { ToolArray, ToolEntry } from './request-tools.ts';

/**
 * The app's body with the changes of one hop spliced in; everything else is the app's own text.
 */
export function encodeRequest(turn: ResponsesTurn, changes: RequestChanges): string {
  const arrays = turn.toolList.arrays.map((array, index) => editArray(turn, array, index, changes));
  const emptyItems = new Set(
    arrays.flatMap(({ state }, index) => {
      const item = turn.arrayPlaces[index]?.inputItem;
      return state === 'emptied' && item !== undefined && mayGo(turn.inputItems?.[item]) ? [item] : [];
    }),
  );
  const edits = [
    ...arrays.flatMap(({ edits, state }, index) => {
      const item = turn.arrayPlaces[index]?.inputItem;
      const goes = item === undefined ? state === 'emptied' : emptyItems.has(item);
      return goes ? [] : edits;
    }),
    ...editInput(turn, changes, emptyItems),
    ...editTop(turn, changes, arrays),
  ];
  return applyEdits(turn.text, edits);
}

/** An item that brought tools goes with them; an answer to a tool search stays, since its call waits for it. */
function mayGo(item: unknown): boolean {
  return isJsonObject(item) && item['type'] === 'additional_tools';
}

/** The declaration of a tool of ours. `strict` is named since the API's default of true forbids array bounds. */
export function encodeDefinition({ name, description, parameters }: ToolDefinition): string {
  return (
    `{"type":"function","name":${JSON.stringify(name)},"description":${JSON.stringify(description)},` +
    `"parameters":${parameters},"strict":false}`
  );
}

interface ArrayEdit {
  readonly edits: readonly Edit[];
  /** `emptied`: the app's array held tools and nothing of it remains. `empty`: it held none from the start. */
  readonly state: 'filled' | 'emptied' | 'empty';
}

function editArray(turn: ResponsesTurn, array: ToolArray, index: number, changes: RequestChanges): ArrayEdit {
  const { text, scan, entries } = array;
  const place = turn.arrayPlaces[index];
  const base = place?.span.start ?? 0;
  const elements = entries.map((entry) => elementChange(entry, changes.tools));
  const insertions = insertionsInto(entries, place?.inputItem === undefined, changes.added);
  const inner = entries.flatMap((entry, element) =>
    entry.kind === 'namespace' && elements[element] !== null
      ? editElements(
          text,
          entry.inner,
          entry.ids.map((id) => changes.tools[id]),
        )
      : [],
  );
  const edits = [...editElements(text, scan, elements, insertions), ...inner];
  return {
    edits: edits.map((edit) => ({ start: edit.start + base, end: edit.end + base, text: edit.text })),
    state: stateOf(elements, insertions.length),
  };
}

function stateOf(elements: readonly ElementChange[], inserted: number): ArrayEdit['state'] {
  if (inserted > 0 || elements.some((change) => change !== null)) return 'filled';
  return elements.length > 0 ? 'emptied' : 'empty';
}

/** A namespace goes when its last tool goes; one that the app sent empty stays. */
function elementChange(entry: ToolEntry, tools: readonly ElementChange[]): ElementChange {
  if (entry.kind === 'tool') return tools[entry.id];
  return entry.ids.length > 0 && entry.ids.every((id) => tools[id] === null) ? null : undefined;
}

function insertionsInto(
  entries: readonly ToolEntry[],
  isTop: boolean,
  added: readonly AddedTool[],
): { before: number; text: string }[] {
  return added.flatMap((tool) => {
    if (tool.kind === 'declaration') return isTop ? [{ before: entries.length, text: tool.text }] : [];
    const text = encodeDefinition(tool.definition);
    const { before } = tool;
    if (before === undefined) return isTop ? [{ before: entries.length, text }] : [];
    const at = entries.findIndex((entry) =>
      entry.kind === 'tool' ? entry.id === before : entry.ids.includes(before),
    );
    return at === -1 ? [] : [{ before: at, text }];
  });
}

/** Tools that no array of the app has a place for go into a `tools` of their own. */
function newTopTools(turn: ResponsesTurn, added: readonly AddedTool[]): string | undefined {
  const hasTop = turn.arrayPlaces.some(({ inputItem }) => inputItem === undefined);
  if (hasTop) return undefined;
  const homeless = added.flatMap((tool) => {
    if (tool.kind === 'declaration') return [tool.text];
    return tool.before === undefined ? [encodeDefinition(tool.definition)] : [];
  });
  return homeless.length > 0 ? `[${homeless.join(',')}]` : undefined;
}

function editTop(turn: ResponsesTurn, changes: RequestChanges, arrays: readonly ArrayEdit[]): Edit[] {
  const members: Record<string, string | null> = {};
  const top = arrays[turn.arrayPlaces.findIndex(({ inputItem }) => inputItem === undefined)];
  if (top?.state === 'emptied') members['tools'] = null;
  const topTools = newTopTools(turn, changes.added);
  if (topTools !== undefined) members['tools'] = topTools;
  const choice = encodeToolChoice(turn, changes);
  if (choice !== undefined) members['tool_choice'] = choice;
  // Without tools the upstream refuses what is said about them, so all of it goes with the last tool.
  const emptied = arrays.some(({ state }) => state === 'emptied');
  const noTools = emptied && changes.added.length === 0 && arrays.every(({ state }) => state !== 'filled');
  if (noTools) Object.assign(members, { tools: null, tool_choice: null, parallel_tool_calls: null });
  Object.assign(members, withoutReasoning(turn, changes.reasoning, { reasoning: '{"effort":"none"}' }));
  if (changes.encryptedReasoning === 'add') members['include'] = addEncrypted(turn);
  if (turn.inputItems === undefined && changes.carried.length > 0)
    members['input'] = inputAsItems(turn, changes);
  const dropped = turn.overruled.find(({ scan }) => scan === turn.scan)?.dropped;
  return editMembers(turn.text, turn.scan, members, dropped);
}

function addEncrypted(turn: ResponsesTurn): string {
  const added = '"reasoning.encrypted_content"';
  const include = lastMember(turn.scan, 'include');
  const text = include === undefined ? 'null' : sliceSpan(turn.text, include.value);
  if (!text.startsWith('[')) return `[${added}]`;
  const list = scanArray(text);
  return applyEdits(text, editElements(text, list, [], [{ before: list.elements.length, text: added }]));
}

/** `input: "text"` is short for one user message; with items after it, it has to be written out. */
function inputAsItems(turn: ResponsesTurn, changes: RequestChanges): string {
  const input = lastMember(turn.scan, 'input');
  const own =
    input !== undefined && turn.text[input.value.start] === '"'
      ? [`{"role":"user","content":${sliceSpan(turn.text, input.value)}}`]
      : [];
  return `[${[...own, ...changes.carried.map(encodeCarried)].join(',')}]`;
}

function encodeCarried(item: CarriedItem): string {
  switch (item.kind) {
    case 'item':
      return item.text;
    case 'output': {
      const type = item.custom ? 'custom_tool_call_output' : 'function_call_output';
      return JSON.stringify({ type, call_id: item.callId, output: item.text });
    }
    case 'user_message':
      return JSON.stringify({ type: 'message', role: 'user', content: item.text });
    default:
      return item satisfies never;
  }
}

function editInput(turn: ResponsesTurn, changes: RequestChanges, emptyItems: ReadonlySet<number>): Edit[] {
  const input = lastMember(turn.scan, 'input');
  if (input === undefined || turn.inputItems === undefined) return [];
  const renamed = renamedCalls(turn.inputItems, changes.historyNames);
  const overruled = new Map(turn.overruled.map((members) => [members.scan.span.start, members.dropped]));
  overruled.delete(turn.scan.span.start);
  const nothing = renamed.size + emptyItems.size + changes.carried.length + overruled.size === 0;
  if (nothing) return [];
  const scan = scanArray(turn.text, input.value.start);
  const removals = scan.elements.map((_, index): ElementChange => (emptyItems.has(index) ? null : undefined));
  const carried = changes.carried.map((item) => ({
    before: scan.elements.length,
    text: encodeCarried(item),
  }));
  const inside = scan.elements.flatMap((element, index) => {
    const members = renamed.get(index);
    const dropped = overruled.get(element.start);
    if (emptyItems.has(index) || (members === undefined && dropped === undefined)) return [];
    return editMembers(turn.text, scanObject(turn.text, element.start), members ?? {}, dropped);
  });
  return [...editElements(turn.text, scan, removals, carried), ...inside];
}

/** What changes in the calls of the history, by the index of the item. */
function renamedCalls(
  items: readonly unknown[],
  names: ReadonlyMap<string, string>,
): ReadonlyMap<number, Record<string, string>> {
  const renamed = new Map<number, Record<string, string>>();
  if (names.size === 0) return renamed;
  items.forEach((item, index) => {
    if (!isCallItem(item)) return;
    const name = names.get(keyOf(item) ?? '');
    if (name === undefined) return;
    const text = JSON.stringify(name);
    // A namespace that repeats the name has to go on doing so.
    const repeats = item['namespace'] !== undefined && item['namespace'] === item['name'];
    renamed.set(index, repeats ? { name: text, namespace: text } : { name: text });
  });
  return renamed;
}

function encodeToolChoice(turn: ResponsesTurn, changes: RequestChanges): string | null | undefined {
  const change = changes.toolChoice;
  switch (change.kind) {
    case 'keep':
      return undefined;
    case 'drop':
      return null;
    case 'auto':
    case 'none':
      return JSON.stringify(change.kind);
    case 'named':
      return editChoice(turn, { name: JSON.stringify(change.name) });
    case 'allowed':
      return editChoice(turn, { tools: `[${change.entries.map(encodeAllowed).join(',')}]` });
    default:
      return change satisfies never;
  }
}

function editChoice(turn: ResponsesTurn, members: Record<string, string>): string | undefined {
  const member = lastMember(turn.scan, 'tool_choice');
  if (member === undefined) return undefined;
  const text = sliceSpan(turn.text, member.value);
  return applyEdits(text, editMembers(text, scanObject(text), members));
}

function encodeAllowed(entry: AllowedChange): string {
  switch (entry.kind) {
    case 'text':
      return entry.text;
    case 'renamed':
      return applyEdits(
        entry.text,
        editMembers(entry.text, scanObject(entry.text), { name: JSON.stringify(entry.name) }),
      );
    case 'function':
      return `{"type":"function","name":${JSON.stringify(entry.name)}}`;
    default:
      return entry satisfies never;
  }
}
