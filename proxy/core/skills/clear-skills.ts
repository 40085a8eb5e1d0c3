import {
  applyEdits,
  editElements,
  editMembers,
  isJsonArray,
  isJsonObject,
  lastMember,
} from '../json/index.ts';
import type { Edit, ElementChange, ObjectScan, Span } from '../json/index.ts';
import { readMarkers } from './history.ts';
import { arrayAt, objectAt, orUndefined, restated, scanBody, stringIn, textsOf, valueIn } from './places.ts';
import { systemTexts } from './system-text.ts';
import { isSkillCallId, wireOf } from './wire.ts';
import { injectionOpening, unwrapContent } from './wrap.ts';

/** A conversation without what skills put into it, or why it cannot be read. */
export type ClearedSkills =
  | { readonly kind: 'cleared'; readonly text: string }
  | {
      readonly kind: 'unreadable';
      readonly param: 'messages' | 'input' | undefined;
      readonly reason: string;
    };

/**
 * Takes out of `{messages}` or `{input}` what skills put there: markers, calls of ours with their answers, the messages
 * that brought content, and content in the system text, where the placeholder comes back. The rest stays as it is
 * written.
 *
 * @param text the JSON text of an object with one of the two members; others may stand beside it
 */
export function clearSkills(text: string): ClearedSkills {
  const cleared = orUndefined(() => clear(text));
  return cleared ?? { kind: 'unreadable', param: undefined, reason: 'The body must be a JSON object.' };
}

function clear(text: string): ClearedSkills | undefined {
  const body = scanBody(text);
  if (body === undefined) return undefined;
  const members = (['messages', 'input'] as const).filter((key) => lastMember(body, key) !== undefined);
  const [member, other] = members;
  if (member === undefined || other !== undefined) {
    return {
      kind: 'unreadable',
      param: undefined,
      reason: "The body must have either 'messages' or 'input'.",
    };
  }
  const list = arrayAt(text, lastMember(body, member)?.value);
  const wire = wireOf(member === 'messages' ? 'chat' : 'responses');
  if (list === undefined) return withoutList(text, body, member);
  const system = systemTexts(text, body, wire, list).flatMap((place) =>
    restated(place, unwrapContent(place.value)),
  );
  const found = list.elements.map((element) => clearElement(text, element));
  const changes: ElementChange[] = found.map(({ goes }) => (goes ? null : undefined));
  const edits = found.flatMap((element) => (element.goes ? [] : element.edits));
  return {
    kind: 'cleared',
    text: applyEdits(text, [...system, ...edits, ...editElements(text, list, changes)]),
  };
}

/** An `input` that is a text holds nothing of ours. */
function withoutList(text: string, body: ObjectScan, member: 'messages' | 'input'): ClearedSkills {
  if (member === 'input' && stringIn(text, body, member) !== undefined) return { kind: 'cleared', text };
  return { kind: 'unreadable', param: member, reason: `${member} must be a list.` };
}

type Clearance = { readonly goes: true } | { readonly goes: false; readonly edits: readonly Edit[] };

const GOES: Clearance = { goes: true };

function clearElement(text: string, element: Span): Clearance {
  const scan = objectAt(text, element);
  if (scan === undefined) return { goes: false, edits: [] };
  if (isResultOfOurs(text, scan) || isInjection(text, scan)) return GOES;
  const calls = clearCalls(text, scan);
  const marked = readMarkers(text, element);
  // An item that only held markers was made for them; a message of chat completions is the whole answer, calls included.
  if (calls.goes || (!marked.saysMore && isMessageItem(text, scan))) return GOES;
  return { goes: false, edits: [...calls.edits, ...marked.edits] };
}

/** Messages of chat completions have no type. */
function isMessageItem(text: string, scan: ObjectScan): boolean {
  return stringIn(text, scan, 'type') === 'message';
}

/** A `function_call` or its output by `call_id`; a chat answer by `tool_call_id`. */
function isResultOfOurs(text: string, scan: ObjectScan): boolean {
  if (stringIn(text, scan, 'role') === 'tool') return isSkillCallId(stringIn(text, scan, 'tool_call_id'));
  const type = stringIn(text, scan, 'type');
  if (type !== 'function_call' && type !== 'function_call_output') return false;
  return isSkillCallId(stringIn(text, scan, 'call_id'));
}

function isInjection(text: string, scan: ObjectScan): boolean {
  if (stringIn(text, scan, 'role') !== 'user') return false;
  const texts = textsOf(text, scan);
  return texts.length > 0 && texts.every(({ value }) => value.startsWith(injectionOpening));
}

/** A chat message that holds our calls: without them, or gone where it was made for them. */
function clearCalls(text: string, scan: ObjectScan): Clearance {
  const calls = valueIn(text, scan, 'tool_calls');
  const array = arrayAt(text, lastMember(scan, 'tool_calls')?.value);
  if (!isJsonArray(calls) || array === undefined) return { goes: false, edits: [] };
  const ours = calls.map((call) => isJsonObject(call) && isSkillCallId(call['id']));
  if (!ours.includes(true)) return { goes: false, edits: [] };
  if (ours.includes(false)) {
    return {
      goes: false,
      edits: editElements(
        text,
        array,
        ours.map((own) => (own ? null : undefined)),
      ),
    };
  }
  const says = textsOf(text, scan).some(({ value }) => value !== '');
  return says ? { goes: false, edits: editMembers(text, scan, { tool_calls: null }) } : GOES;
}
