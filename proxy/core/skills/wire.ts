import { sliceSpan } from '../json/index.ts';
import type { ArrayScan, ObjectScan } from '../json/index.ts';
import type { Protocol } from '../turn/index.ts';
import { objectAt, stringIn } from './places.ts';
import type { Skill } from './skill.ts';
import { skillResult, wrapInjection } from './wrap.ts';

/** Where the two protocols write what skills need of them. */
export interface SkillWire {
  /** The member that holds the conversation. */
  readonly list: 'messages' | 'input';
  /** The member beside it that holds system text too, if there is one. */
  readonly instructions: 'instructions' | undefined;
  /**
   * The elements that tell of a call of the Skill tool, its answer and the content, as JSON texts.
   *
   * @param firstCall the number of the first call, counted from 1 over the whole conversation, so that the same
   *   conversation gives the same ids
   */
  chain(skills: readonly Skill[], toolName: string, firstCall: number): readonly string[];
  /** True if the element at `index`, which says nothing but markers, was made for them and goes with them. */
  isMadeForMarkers(text: string, list: ArrayScan, index: number): boolean;
  /** The index before which a chain goes whose answer is the element at `index`. */
  chainIndex(text: string, list: ArrayScan, index: number): number;
}

const CALL_ID = /^call_skill_\d+$/;

/** Whether a call of that id was put into the conversation by us. */
export function isSkillCallId(id: unknown): boolean {
  return typeof id === 'string' && CALL_ID.test(id);
}

function callId(number: number): string {
  return `call_skill_${String(number)}`;
}

function argumentsFor({ name }: Skill): string {
  return JSON.stringify({ command: name });
}

const chat: SkillWire = {
  list: 'messages',
  instructions: undefined,
  chain: (skills, toolName, firstCall) => [
    JSON.stringify({
      role: 'assistant',
      content: null,
      tool_calls: skills.map((skill, index) => ({
        id: callId(firstCall + index),
        type: 'function',
        function: { name: toolName, arguments: argumentsFor(skill) },
      })),
    }),
    ...skills.map(({ name }, index) =>
      JSON.stringify({ role: 'tool', tool_call_id: callId(firstCall + index), content: skillResult(name) }),
    ),
    JSON.stringify({ role: 'user', content: wrapInjection(skills) }),
  ],
  // It may hold calls or thinking, and stands for the answer.
  isMadeForMarkers: () => false,
  chainIndex: (_text, _list, index) => index,
};

const responses: SkillWire = {
  list: 'input',
  instructions: 'instructions',
  chain: (skills, toolName, firstCall) => [
    ...skills.map((skill, index) =>
      JSON.stringify({
        type: 'function_call',
        call_id: callId(firstCall + index),
        name: toolName,
        arguments: argumentsFor(skill),
      }),
    ),
    ...skills.map(({ name }, index) =>
      JSON.stringify({
        type: 'function_call_output',
        call_id: callId(firstCall + index),
        output: skillResult(name),
      }),
    ),
    JSON.stringify({ type: 'message', role: 'user', content: wrapInjection(skills) }),
  ],
  // A message that the model left empty has to stay where thinking led to it.
  isMadeForMarkers: (text, list, index) => {
    const before = objectAt(text, list.elements[index - 1]);
    return before === undefined || stringIn(text, before, 'type') !== 'reasoning';
  },
  // A reasoning item is refused where another item than its own follows it, and a call before the message is of the same answer.
  chainIndex: (text, list, index) => {
    let first = index;
    while (first > 0 && belongsToNext(text, objectAt(text, list.elements[first - 1]))) first -= 1;
    return first;
  },
};

const PRECEDING: ReadonlySet<string | undefined> = new Set([
  'reasoning',
  'function_call',
  'custom_tool_call',
]);

function belongsToNext(text: string, item: ObjectScan | undefined): boolean {
  return item !== undefined && PRECEDING.has(stringIn(text, item, 'type'));
}

/** The shapes of a protocol. */
export function wireOf(protocol: Protocol): SkillWire {
  switch (protocol) {
    case 'chat':
      return chat;
    case 'responses':
      return responses;
    default:
      return protocol satisfies never;
  }
}

/** A responses `input` that is a text, as the item that the text stands for. */
export function itemOfText(text: string, span: { readonly start: number; readonly end: number }): string {
  return `{"type":"message","role":"user","content":${sliceSpan(text, span)}}`;
}
