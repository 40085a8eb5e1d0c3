import { lastMember } from '../json/index.ts';
import type { ArrayScan, ObjectScan } from '../json/index.ts';
import { objectAt, stringAt, stringIn, textsOf } from './places.ts';
import type { TextPlace } from './places.ts';
import type { SkillWire } from './wire.ts';

/** The texts of a request that speak for the system: `instructions`, and the messages that lead with that role. */
export function systemTexts(
  text: string,
  body: ObjectScan,
  wire: SkillWire,
  list: ArrayScan | undefined,
): TextPlace[] {
  const places: TextPlace[] = [];
  const span = wire.instructions && lastMember(body, wire.instructions)?.value;
  const instructions = stringAt(text, span);
  if (span !== undefined && instructions !== undefined) places.push({ span, value: instructions });
  for (const element of list?.elements ?? []) {
    const message = objectAt(text, element);
    const role = message && stringIn(text, message, 'role');
    if (message === undefined || (role !== 'system' && role !== 'developer')) break;
    places.push(...textsOf(text, message));
  }
  return places;
}
