/** What must hold of one turn through Toolroll, whatever the model said. */
import type { AuditEvent, AuditHop } from '../../schemas/generated/audit-event.ts';
import type { Exchange, Question } from './client.ts';
import { leakFaults } from './check-leaks.ts';
import { sentFaults } from './check-sent.ts';
import { readAnswer } from './read-wire.ts';
import { maxRounds } from './rule-sets.ts';
import type { RuleSetName } from './rule-sets.ts';
import { chatJsonFaults, chatStreamFaults } from './wire-chat.ts';
import { responsesJsonFaults, responsesStreamFaults } from './wire-responses.ts';

/** All that is known of one turn. */
export interface Evidence {
  readonly rules: RuleSetName;
  /** The place in its scenario, from 0. */
  readonly turn: number;
  readonly question: Question;
  readonly got: Exchange;
  readonly record: AuditEvent;
}

/** How often a turn may do each kind of hop; the rules allow no more. */
const mostHops: Readonly<Record<AuditHop['kind'], number>> = {
  select: 1,
  reselect: maxRounds - 1,
  answer: maxRounds,
  skill: maxRounds + 1,
  retry: maxRounds - 1,
  fallback: 1,
};

/** What is wrong with the answer's form. @throws SyntaxError or TypeError where it cannot be read at all */
export function formFaults({ question, got }: Evidence): readonly string[] {
  const { api, shape, wantsUsage } = question;
  if (api === 'chat') {
    return shape === 'json' ? chatJsonFaults(got.body) : chatStreamFaults(got.body, { wantsUsage });
  }
  return shape === 'json' ? responsesJsonFaults(got.body) : responsesStreamFaults(got.body);
}

/** What is wrong with the turn beside its form. */
export function turnFaults(evidence: Evidence): readonly string[] {
  return [
    ...boundFaults(evidence),
    ...sentFaults(evidence),
    ...leakFaults(evidence),
    ...hearingFaults(evidence),
  ];
}

/** True where the answer is the server's own, byte for byte: its form is then not ours. */
export function isServersOwn({ got, record }: Evidence): boolean {
  const [only, ...more] = record.contents?.hops ?? [];
  return more.length === 0 && only?.response === got.body;
}

function boundFaults({ rules, question, got, record }: Evidence): readonly string[] {
  const counted = Number(got.headers.get('x-toolroll-hops'));
  const { length } = record.hops;
  const isTold = question.shape === 'json' ? counted === length : counted >= 1 && counted <= length;
  return [
    ...(record.ruleSet === rules ? [] : [`the rule set was ${String(record.ruleSet)}`]),
    ...(rules.endsWith('two-hop') && record.plan !== 'two_hop' ? [`the plan was ${record.plan}`] : []),
    ...(record.outcome === 'ok' ? [] : [`the outcome was ${record.outcome}: ${record.error?.message ?? ''}`]),
    ...(isTold ? [] : [`x-toolroll-hops is ${String(counted)} of ${String(length)}`]),
    ...Object.entries(mostHops).flatMap(([kind, most]) => {
      const count = record.hops.filter((hop) => hop.kind === kind).length;
      return count > most ? [`${String(count)} hops of kind ${kind}, ${String(most)} at most`] : [];
    }),
  ];
}

/** The official client must have heard what stands in the bytes. */
function hearingFaults({ question, got }: Evidence): readonly string[] {
  if (got.heard === undefined) return [];
  const heard = JSON.stringify(got.heard);
  const written = JSON.stringify(readAnswer(got.body, question));
  return heard === written ? [] : [`the client heard ${heard}, written is ${written}`];
}
