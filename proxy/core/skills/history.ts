import { lastMember, sliceSpan } from '../json/index.ts';
import type { ArrayScan, Edit, ObjectScan } from '../json/index.ts';
import { markerSign, stripMarkers } from './marker.ts';
import { arrayAt, mayHold, objectAt, restated, stringIn, textsOf } from './places.ts';
import { findSkill } from './skill.ts';
import type { Skill, SkillMap } from './skill.ts';

/** What the markers of a conversation tell. */
export interface SkillHistory {
  /** The edits that take the markers out of the messages that say more. */
  readonly edits: readonly Edit[];
  /** Indexes of the messages that consist of markers. */
  readonly emptied: ReadonlySet<number>;
  /** The answers that used a skill for the first time: where they stand, and which skills. */
  readonly firstUses: readonly { readonly index: number; readonly skills: readonly Skill[] }[];
  /** Every skill in use, in the order of first use. */
  readonly active: readonly Skill[];
  /** The skill that was marked last. */
  readonly last: Skill | undefined;
  /** Names that are marked and no longer loaded. */
  readonly missing: readonly string[];
}

/** Reads the markers of the assistant's messages. Elements without one are not parsed. */
export function readHistory(text: string, list: ArrayScan | undefined, skills: SkillMap): SkillHistory {
  const edits: Edit[] = [];
  const emptied = new Set<number>();
  const firstUses: { index: number; skills: readonly Skill[] }[] = [];
  const active = new Set<Skill>();
  const missing = new Set<string>();
  let last: Skill | undefined;
  list?.elements.forEach((element, index) => {
    const marked = readMarkers(text, element);
    if (marked.saysMore) edits.push(...marked.edits);
    else emptied.add(index);
    const first: Skill[] = [];
    for (const name of marked.names) {
      const skill = findSkill(skills, name);
      if (skill === undefined) {
        missing.add(name);
        continue;
      }
      last = skill;
      if (active.has(skill)) continue;
      active.add(skill);
      first.push(skill);
    }
    if (first.length > 0) firstUses.push({ index, skills: first });
  });
  return { edits, emptied, firstUses, active: [...active], last, missing: [...missing] };
}

/** The markers of one element. */
export interface Marked {
  /** They take the markers out. */
  readonly edits: readonly Edit[];
  readonly names: readonly string[];
  /** False for a message that consists of markers. */
  readonly saysMore: boolean;
}

/** The markers of one element and the edits that take them out; nothing for what the assistant has not said. */
export function readMarkers(text: string, element: { readonly start: number; readonly end: number }): Marked {
  const edits: Edit[] = [];
  const names: string[] = [];
  const texts: string[] = [];
  const message = mayHold(sliceSpan(text, element), markerSign) ? objectAt(text, element) : undefined;
  if (message === undefined || stringIn(text, message, 'role') !== 'assistant')
    return { edits, names, saysMore: true };
  for (const place of textsOf(text, message)) {
    const stripped = stripMarkers(place.value);
    edits.push(...restated(place, stripped.text));
    names.push(...stripped.names);
    texts.push(stripped.text);
  }
  return { edits, names, saysMore: names.length === 0 || saysMore(text, message, texts) };
}

/** True unless its texts are all that it holds, and nothing is left of them. */
function saysMore(text: string, message: ObjectScan, texts: readonly string[]): boolean {
  const parts = arrayAt(text, lastMember(message, 'content')?.value)?.elements.length ?? 1;
  return parts > texts.length || texts.some((left) => left !== '');
}
