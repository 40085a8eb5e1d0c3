import { applyEdits, editMembers, lastMember, scanObject, sliceSpan } from '../../json/index.ts';
import type { ObjectScan } from '../../json/index.ts';
import type { RequestChanges } from '../../turn/index.ts';
import type { DecodedResponse, Echo, ResponseRewrite } from '../adapter.ts';
import { sumUsage } from '../sum-usage.ts';
import type { ResponsesTurn } from './decode-request.ts';
import { RESPONSE_SCAN } from './decode-response.ts';
import { endItems } from './ending.ts';
import { itemForApp } from './items.ts';

/** The upstream's answer with what the app must not see taken out and what it sent put back. */
export function encodeResponse(response: DecodedResponse, rewrite: ResponseRewrite): string {
  const { text, items } = response;
  const scan = scanObject(text, 0, RESPONSE_SCAN);
  const kept = items.flatMap(({ item, text: own }, index) =>
    rewrite.shown.has(index) ? [itemForApp(own, item, rewrite.names)] : [],
  );
  const untouched =
    rewrite.earlier.length === 0 &&
    kept.length === items.length &&
    items.every(({ text: own }, index) => own === kept[index]);
  const members: Record<string, string> = { ...echoPresent(scan, rewrite.echo) };
  const earlier = rewrite.earlier.map(({ item, text: own }) => itemForApp(own, item, rewrite.names));
  const { appended } = rewrite;
  if (appended !== undefined) {
    members['output'] = `[${endItems([...earlier, ...kept], appended).join(',')}]`;
  } else if (!untouched) members['output'] = `[${[...earlier, ...kept].join(',')}]`;
  if (rewrite.usage.length > 1) members['usage'] = JSON.stringify(sumUsage(rewrite.usage));
  return applyEdits(text, editMembers(text, scan, members));
}

/** A field that the upstream does not echo is not added. */
export function echoPresent(scan: ObjectScan, echo: Echo): Record<string, string> {
  return Object.fromEntries(Object.entries(echo).filter(([key]) => lastMember(scan, key) !== undefined));
}

/**
 * What the app sent in the fields that a response repeats, for those that the hop changed. Where the app sent nothing, the
 * API's own default is what it would have read.
 */
export function echoOf(turn: ResponsesTurn, changes: RequestChanges): Echo {
  const echo: Record<string, string> = {};
  const sent = (key: string, otherwise: string): string => {
    const member = lastMember(turn.scan, key);
    return member === undefined ? otherwise : sliceSpan(turn.text, member.value);
  };
  if (changes.added.length > 0 || changes.tools.some((change) => change !== undefined)) {
    echo['tools'] = sent('tools', '[]');
    echo['tool_choice'] = sent('tool_choice', '"auto"');
    echo['parallel_tool_calls'] = sent('parallel_tool_calls', 'true');
  }
  if (changes.toolChoice.kind !== 'keep') echo['tool_choice'] = sent('tool_choice', '"auto"');
  if (changes.reasoning === 'effort') {
    const member = lastMember(turn.scan, 'reasoning');
    if (member !== undefined) echo['reasoning'] = sliceSpan(turn.text, member.value);
  }
  return echo;
}
