import { applyEdits, editElements, editMembers, lastMember, sliceSpan } from '../json/index.ts';
import type { ArrayScan, Edit, ElementChange, ObjectScan, Span } from '../json/index.ts';
import type { Protocol } from '../turn/index.ts';
import { fieldNames, readFields } from './fields.ts';
import type { SkillFieldError, SkillFields } from './fields.ts';
import { readHistory, readMarkers } from './history.ts';
import type { SkillHistory } from './history.ts';
import { markerSign } from './marker.ts';
import { arrayAt, mayHold, orUndefined, restated, scanBody } from './places.ts';
import { findSkill } from './skill.ts';
import type { Skill, SkillMap } from './skill.ts';
import { systemTexts } from './system-text.ts';
import { itemOfText, wireOf } from './wire.ts';
import type { SkillWire } from './wire.ts';
import { placeholder, wrapContent } from './wrap.ts';
import type { SkillStrategy } from './wrap.ts';

/** As keys stand in a text, so that prose about a strategy costs nothing. */
const quotedFields = fieldNames.map((name) => `"${name}"`);

/** How an app's request is made ready. */
export interface PrepareOptions {
  /** The skills that this turn may use. */
  readonly skills: SkillMap;
  /** What the rules say; the request's own `strategy` goes before it. */
  readonly strategy: SkillStrategy;
  /** The name that the Skill tool goes by. */
  readonly toolName: string;
  /** Skills that the model has asked for in this turn, in order. */
  readonly loading?: readonly string[];
}

/** An app's request as adapters shall decode it. */
export interface PreparedSkills {
  /** The request's text; the same string where nothing had to change. */
  readonly text: string;
  readonly changed: boolean;
  /** The names of the skills that the conversation uses already, in the order of their first use. */
  readonly active: readonly string[];
  /** The one that was marked last. */
  readonly last: string | undefined;
  readonly fields: SkillFields;
  /** With any, the request must be refused. */
  readonly fieldErrors: readonly SkillFieldError[];
  /** Names that are marked or asked for, and not loaded. */
  readonly missing: readonly string[];
  /** Where content goes: `system` only where the system text has a place for it. */
  readonly place: SkillStrategy;
  /** What the app sent in fields that the upstream repeats and that read otherwise now: JSON texts, by field. */
  readonly echo: Readonly<Record<string, string>>;
  /** `system` was wanted, and the system text has no placeholder for the content: it went into a message. */
  readonly fellBack: boolean;
}

/**
 * Makes an app's request ready for a turn with skills: takes our fields and markers out, and puts back the skills that
 * the markers tell of, so that the model need not ask again.
 *
 * With the strategy `message`, the call of a skill, its answer and its content go before the first answer that was
 * marked with it, and those of `loading` to the end. With `system`, the one skill that was asked for last stands in the
 * system text in place of `{{SKILL}}`.
 *
 * The conversation is read from the request alone. With `previous_response_id` or `conversation` it is not in there:
 * nothing can be put back then, and the model asks for a skill again when it needs it.
 *
 * A request that holds none of our words comes back as the same string after a few searches; nothing is parsed.
 *
 * @param text the body after content decoding, JSON or not
 */
export function prepareSkills(protocol: Protocol, text: string, options: PrepareOptions): PreparedSkills {
  const searched = [markerSign, ...quotedFields, ...(options.strategy === 'system' ? [placeholder] : [])];
  if ((options.loading ?? []).length === 0 && !mayHold(text, ...searched)) return untouched(text);
  return orUndefined(() => prepare(wireOf(protocol), text, options)) ?? untouched(text);
}

function untouched(text: string): PreparedSkills {
  return {
    text,
    changed: false,
    active: [],
    last: undefined,
    fields: {},
    fieldErrors: [],
    missing: [],
    place: 'message',
    echo: {},
    fellBack: false,
  };
}

function prepare(wire: SkillWire, text: string, options: PrepareOptions): PreparedSkills | undefined {
  const body = scanBody(text);
  if (body === undefined) return undefined;
  const { fields, errors } = readFields(text, body);
  const list = arrayAt(text, lastMember(body, wire.list)?.value);
  const request: Request = { wire, text, body, list };
  const history = readHistory(text, list, options.skills);
  const loading = findLoading(options);
  const placed =
    (fields.strategy ?? options.strategy) === 'system'
      ? placeInSystem(request, loading.skills.at(-1) ?? history.last)
      : undefined;
  const chains =
    placed?.kind === 'placed'
      ? { edits: listEdits(request, history, []), list: undefined }
      : chainAll(request, history, loading.skills, options);
  const members = editMembers(text, body, {
    ...Object.fromEntries(fieldNames.map((name) => [name, null])),
    ...(chains.list === undefined ? {} : { [wire.list]: chains.list }),
  });
  const result = applyEdits(text, [...history.edits, ...(placed?.edits ?? []), ...chains.edits, ...members]);
  return {
    text: result,
    changed: result !== text,
    active: history.active.map(({ name }) => name),
    last: history.last?.name,
    fields,
    fieldErrors: errors,
    place: placed?.kind === 'placed' ? 'system' : 'message',
    echo: placed?.echo ?? {},
    missing: [...new Set([...history.missing, ...loading.missing])],
    fellBack: placed?.kind === 'no_place' && (history.last !== undefined || loading.skills.length > 0),
  };
}

interface Request {
  readonly wire: SkillWire;
  readonly text: string;
  readonly body: ObjectScan;
  /** The conversation, where the request holds it as a list. */
  readonly list: ArrayScan | undefined;
}

function findLoading({ skills, loading = [] }: PrepareOptions): {
  readonly skills: readonly Skill[];
  readonly missing: readonly string[];
} {
  const found = loading.map((name) => ({ name, skill: findSkill(skills, name) }));
  return {
    skills: [...new Set(found.flatMap(({ skill }) => skill ?? []))],
    missing: found.flatMap(({ name, skill }) => (skill === undefined ? [name] : [])),
  };
}

interface Placement {
  /** Whether the system text has a place for content, with a skill to put there or without. */
  readonly kind: 'placed' | 'no_place';
  readonly edits: readonly Edit[];
  readonly echo: PreparedSkills['echo'];
}

function placeInSystem({ wire, text, body, list }: Request, skill: Skill | undefined): Placement {
  const places = systemTexts(text, body, wire, list).filter(({ value }) => value.includes(placeholder));
  if (places.length === 0) return { kind: 'no_place', edits: [], echo: {} };
  const content = wrapContent(skill);
  const instructions = wire.instructions && lastMember(body, wire.instructions)?.value;
  const isPlace = places.some(({ span }) => span === instructions);
  return {
    kind: 'placed',
    echo: isPlace && instructions !== undefined ? { instructions: sliceSpan(text, instructions) } : {},
    edits: places.flatMap((place) => restated(place, place.value.split(placeholder).join(content))),
  };
}

/** The edits inside the list, or the list's new text where it was no list. */
interface Chained {
  readonly edits: readonly Edit[];
  readonly list: string | undefined;
}

function chainAll(
  request: Request,
  history: SkillHistory,
  loading: readonly Skill[],
  { toolName }: PrepareOptions,
): Chained {
  const { wire, text, list } = request;
  let calls = 0;
  const chain = (skills: readonly Skill[]): string => {
    const first = calls + 1;
    calls += skills.length;
    return wire.chain(skills, toolName, first).join(',');
  };
  const rebuilt = history.firstUses.map(({ index, skills }) => ({
    before: list === undefined ? index : wire.chainIndex(text, list, index),
    text: chain(skills),
  }));
  if (list === undefined)
    return { edits: [], list: loading.length === 0 ? undefined : opened(request, chain(loading)) };
  const added = loading.length === 0 ? [] : [{ before: list.elements.length, text: chain(loading) }];
  return { edits: listEdits(request, history, [...rebuilt, ...added]), list: undefined };
}

/** What changes in the conversation's list, but for the messages that only lose their markers. */
function listEdits(
  { wire, text, list }: Request,
  { emptied }: SkillHistory,
  added: Parameters<typeof editElements>[3],
): readonly Edit[] {
  if (list === undefined) return [];
  const changes = list.elements.map((element, index): ElementChange => {
    if (!emptied.has(index)) return undefined;
    return wire.isMadeForMarkers(text, list, index) ? null : withoutMarkers(text, element);
  });
  return editElements(text, list, changes, added);
}

function withoutMarkers(text: string, element: Span): string {
  const own = sliceSpan(text, element);
  return applyEdits(own, readMarkers(own, { start: 0, end: own.length }).edits);
}

/** The list of a request that had none: of its one text, where it has that, and what is loaded. */
function opened({ wire, text, body }: Request, chain: string): string | undefined {
  const span = lastMember(body, wire.list)?.value;
  if (wire.list !== 'input') return undefined;
  if (span === undefined) return `[${chain}]`;
  return text[span.start] === '"' ? `[${itemOfText(text, span)},${chain}]` : undefined;
}
