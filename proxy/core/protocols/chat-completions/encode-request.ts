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
import type { Edit, Span } from '../../json/index.ts';
import type { AllowedChange, RequestChanges } from '../../turn/index.ts';
import { mergedInto, withoutReasoning } from '../without-reasoning.ts';
import { carriedMessages } from './carried.ts';
import { allowedList } from './decode-choice.ts';
import { callsOf } from './decode-request.ts';
import type { ChatTurn } from './decode-request.ts';
import { editTools } from './encode-tools.ts';
import { readNest, scanNest } from './names.ts';

/** The app's body with the changes of one hop spliced in; everything else is the app's own text. */
export function encodeRequest(turn: ChatTurn, changes: RequestChanges): string {
  const tools = editTools(turn, changes);
  const members: Record<string, string | null> = {};
  if (tools.member !== undefined) members['tools'] = tools.member;
  const choice = encodeToolChoice(turn, changes);
  if (choice !== undefined) members['tool_choice'] = choice;
  // Without tools the upstream refuses what is said about them, so all of it goes with the last tool.
  if (tools.isEmptied) Object.assign(members, { tool_choice: null, parallel_tool_calls: null });
  Object.assign(members, withoutReasoning(turn, changes.reasoning, { reasoning_effort: '"none"' }));
  // What the hops of a turn use is known only where it is asked for.
  if (turn.stream && !turn.wantsUsage) {
    members['stream_options'] = mergedInto(turn, 'stream_options', { include_usage: 'true' });
  }
  return applyEdits(turn.text, [
    ...tools.edits,
    ...editMessages(turn, changes),
    ...editMembers(turn.text, turn.scan, members, turn.overruled),
  ]);
}

function editMessages(turn: ChatTurn, changes: RequestChanges): Edit[] {
  const member = lastMember(turn.scan, 'messages');
  const { messages, text } = turn;
  const names = calledNames(messages ?? [], changes.historyNames);
  if (member === undefined || messages === undefined) return [];
  if (names.size === 0 && changes.carried.length === 0) return [];
  const scan = scanArray(text, member.value.start);
  const carried = carriedMessages(changes.carried).map((own) => ({
    before: scan.elements.length,
    text: own,
  }));
  const renamed = messages.flatMap((message, index) => {
    const span = scan.elements[index];
    return span === undefined || names.size === 0 ? [] : renameIn(text, { message, span }, names);
  });
  return [...editElements(text, scan, [], carried), ...renamed];
}

/** The new names of tools that the history calls. */
function calledNames(
  messages: readonly unknown[],
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (names.size === 0) return names;
  const called = new Map<string, string>();
  const note = (name: unknown): void => {
    const renamed = typeof name === 'string' ? names.get(name) : undefined;
    if (typeof name === 'string' && renamed !== undefined) called.set(name, renamed);
  };
  for (const message of messages) {
    for (const call of callsOf(message)) note(isJsonObject(call) ? readNest(call)?.name : undefined);
    if (isToolMessage(message)) note(message['name']);
  }
  return called;
}

/** The answer to a call; some apps repeat the tool's name in it. */
function isToolMessage(message: unknown): message is Readonly<Record<string, unknown>> {
  return isJsonObject(message) && message['role'] === 'tool';
}

interface PlacedMessage {
  readonly message: unknown;
  readonly span: Span;
}

function renameIn(
  text: string,
  { message, span }: PlacedMessage,
  names: ReadonlyMap<string, string>,
): Edit[] {
  if (isToolMessage(message)) return renameMember(text, { holder: message, start: span.start }, names);
  const calls = callsOf(message);
  if (calls.length === 0) return [];
  const list = lastMember(scanObject(text, span.start), 'tool_calls');
  const { elements } = scanArray(text, list?.value.start);
  return calls.flatMap((call, index) => {
    const element = elements[index];
    const named = isJsonObject(call) ? readNest(call) : undefined;
    if (element === undefined || named === undefined) return [];
    const nest = scanNest(text, scanObject(text, element.start));
    return nest === undefined
      ? []
      : renameMember(text, { holder: named.nest, start: nest.span.start }, names);
  });
}

function renameMember(
  text: string,
  { holder, start }: { readonly holder: Readonly<Record<string, unknown>>; readonly start: number },
  names: ReadonlyMap<string, string>,
): Edit[] {
  const { name } = holder;
  const renamed = typeof name === 'string' ? names.get(name) : undefined;
  if (renamed === undefined) return [];
  return editMembers(text, scanObject(text, start), { name: JSON.stringify(renamed) });
}

function encodeToolChoice(turn: ChatTurn, changes: RequestChanges): string | null | undefined {
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
      return editChoice(turn, (choice) => nameEdits(choice, change.name));
    case 'allowed':
      return editChoice(turn, (choice) => {
        const list = allowedList(choice);
        return list === undefined
          ? []
          : [{ ...list, text: `[${change.entries.map(encodeAllowed).join(',')}]` }];
      });
    default:
      return change satisfies never;
  }
}

function editChoice(turn: ChatTurn, edit: (choice: string) => Edit[]): string | undefined {
  const member = lastMember(turn.scan, 'tool_choice');
  if (member === undefined) return undefined;
  const text = sliceSpan(turn.text, member.value);
  return applyEdits(text, edit(text));
}

function nameEdits(text: string, name: string): Edit[] {
  const nest = scanNest(text, scanObject(text));
  return nest === undefined ? [] : editMembers(text, nest, { name: JSON.stringify(name) });
}

function encodeAllowed(entry: AllowedChange): string {
  switch (entry.kind) {
    case 'text':
      return entry.text;
    case 'renamed':
      return applyEdits(entry.text, nameEdits(entry.text, entry.name));
    case 'function':
      return `{"type":"function","function":{"name":${JSON.stringify(entry.name)}}}`;
    default:
      return entry satisfies never;
  }
}
