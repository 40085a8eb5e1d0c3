import {
  applyEdits,
  editElements,
  editMembers,
  isJsonArray,
  isJsonObject,
  lastMember,
  parseJson,
  scanArray,
  scanObject,
  sliceSpan,
} from '../json/index.ts';
import type { Edit, ObjectScan } from '../json/index.ts';
import type { CallDesk, Lane, NativeCall } from './answer-reader.ts';
import { memberText, memberValue, scanBody, stringAt } from './request-edits.ts';

/** Values (JSON text) that a response repeats from the request, by field. */
export type Echo = Readonly<Record<string, string>>;

/** The JSON answer to `POST /v1/responses` with its written calls as items; all else stays as it came. */
export function decodeResponsesAnswer(answer: string, desk: CallDesk, echo: Echo): string {
  const scan = scanBody(answer);
  if (scan === undefined) return answer;
  const lane = { calls: 0 };
  const edits = editOutput(answer, scan, (item) => splitItem(item, desk, lane)?.join(','));
  return applyEdits(answer, [...restoreEcho(answer, scan, echo), ...edits]);
}

/** A response tells of the request as it was sent natively, where it tells of it at all. */
export function restoreEcho(text: string, response: ObjectScan, echo: Echo): Edit[] {
  const present = Object.entries(echo).filter(([key]) => lastMember(response, key) !== undefined);
  return editMembers(text, response, Object.fromEntries(present));
}

/** Changes the items of a response object; `undefined` leaves one as it stands. */
export function editOutput(
  text: string,
  response: ObjectScan,
  change: (item: string, index: number) => string | undefined,
): Edit[] {
  const output = lastMember(response, 'output');
  if (output === undefined || !isJsonArray(memberValue(text, response, 'output'))) return [];
  const scan = scanArray(text, output.value.start);
  const changes = scan.elements.map((element, index) => change(sliceSpan(text, element), index));
  return editElements(text, scan, changes);
}

/**
 * The items that a message becomes: what it says before, between and after its calls, each a message, and the calls. Or
 * `undefined` where it holds none. The first message that is left keeps the id.
 */
export function splitItem(item: string, desk: CallDesk, lane: Lane): string[] | undefined {
  const value = parseJson(item);
  if (
    !desk.isOpen ||
    stringAt(value, 'type') !== 'message' ||
    !isJsonObject(value) ||
    !isJsonArray(value['content'])
  )
    return undefined;
  const parts = scanArray(memberText(item, scanObject(item), 'content') ?? '[]');
  const content = memberText(item, scanObject(item), 'content') ?? '[]';
  const split = new MessageSplit(item, desk.newId);
  for (const element of parts.elements) {
    const part = sliceSpan(content, element);
    const text = textOf(part);
    if (text === undefined) split.addPart(part);
    else {
      for (const event of desk.openReader(lane).readAll(text)) {
        if (event.kind === 'text') split.addPart(partWith(part, event.text));
        else split.addCall(event.call);
      }
    }
  }
  return split.hasCalls ? split.finish() : undefined;
}

class MessageSplit {
  hasCalls = false;
  readonly #item: string;
  readonly #newId: () => string;
  readonly #items: string[] = [];
  #parts: string[] = [];
  #messages = 0;

  constructor(item: string, newId: () => string) {
    this.#item = item;
    this.#newId = newId;
  }

  addPart(part: string): void {
    this.#parts.push(part);
  }

  addCall(call: NativeCall): void {
    this.hasCalls = true;
    this.#closeMessage();
    this.#items.push(encodeCallItem(call, `${itemPrefix(call)}${this.#newId()}`, 'completed'));
  }

  finish(): string[] {
    this.#closeMessage();
    return this.#items;
  }

  #closeMessage(): void {
    if (this.#parts.length === 0) return;
    const id = this.#messages === 0 ? undefined : messageId(this.#newId);
    this.#items.push(messageWith(this.#item, { id, parts: this.#parts }));
    this.#messages += 1;
    this.#parts = [];
  }
}

/** The text of an `output_text` part; `undefined` for any other. */
export function textOf(part: string): string | undefined {
  const value = parseJson(part);
  return stringAt(value, 'type') === 'output_text' ? stringAt(value, 'text') : undefined;
}

/** A part with another text. What told of places in the old one is dropped. */
export function partWith(part: string, text: string): string {
  if (textOf(part) === text) return part;
  const scan = scanObject(part);
  const emptied = ['annotations', 'logprobs'].filter((key) => lastMember(scan, key) !== undefined);
  const members = Object.fromEntries(emptied.map((key) => [key, '[]']));
  return applyEdits(part, editMembers(part, scan, { ...members, text: JSON.stringify(text) }));
}

/** A message with other parts, and another id if one is given. */
export function messageWith(
  item: string,
  { id, parts }: { readonly id: string | undefined; readonly parts: readonly string[] },
): string {
  const members = {
    ...(id === undefined ? {} : { id: JSON.stringify(id) }),
    content: `[${parts.join(',')}]`,
  };
  return applyEdits(item, editMembers(item, scanObject(item), members));
}

export function messageId(newId: () => string): string {
  return `msg_${newId()}`;
}

export function itemPrefix(call: NativeCall): string {
  return call.kind === 'custom' ? 'ctc_' : 'fc_';
}

/** The item of a call; one in progress has no content yet. */
export function encodeCallItem(call: NativeCall, id: string, status: 'in_progress' | 'completed'): string {
  const content = status === 'completed' ? call.content : '';
  const head = { id, type: `${call.kind}_call`, status, call_id: call.callId, name: call.name };
  const namespace = call.namespace === undefined ? {} : { namespace: call.namespace };
  return JSON.stringify(
    call.kind === 'custom'
      ? { ...head, type: 'custom_tool_call', ...namespace, input: content }
      : { ...head, ...namespace, arguments: content },
  );
}
