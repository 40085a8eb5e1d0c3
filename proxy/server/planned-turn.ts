import { changesNothing, planTurn } from '../core/plan/index.ts';
import type { Plan } from '../core/plan/index.ts';
import type { ProtocolAdapter } from '../core/protocols/index.ts';
import { matchesAny, matchRuleSet } from '../core/rules/index.ts';
import type { CompiledRuleSet, CompiledTextTools, MatchFacts } from '../core/rules/index.ts';
import type { SkillMap } from '../core/skills/index.ts';
import type { Turn } from '../core/turn/index.ts';
import { SkillTurn } from './skill-turn.ts';

/** What a request is planned by. */
export interface PlanningFacts {
  readonly ruleSets: readonly CompiledRuleSet[];
  readonly skills: SkillMap;
  readonly header: MatchFacts['header'];
}

/** A request, and what will be done with it. */
export type PlannedTurn<T extends Turn> =
  | {
      readonly kind: 'bypass';
      readonly reason: string;
      readonly ruleSet: string | null;
      readonly turn: T | undefined;
    }
  | ({ readonly kind: 'planned' } & TurnPlan<T>);

/** A turn under a rule set. */
export interface TurnPlan<T extends Turn> {
  readonly turn: T;
  readonly plan: Plan;
  /** Only where the rule set has skills. */
  readonly skills: SkillTurn<T> | undefined;
  /** Only where the model gets its tools as text. */
  readonly textTools: CompiledTextTools | undefined;
  /** True if the upstream gets the app's own bytes. */
  readonly isUntouched: boolean;
}

/**
 * Reads a request and decides what becomes of it.
 *
 * @param text the body after content decoding
 * @throws ToolrollError where the request is to be refused
 */
export function planRequest<T extends Turn>(
  adapter: ProtocolAdapter<T>,
  text: string,
  { ruleSets, skills: loaded, header }: PlanningFacts,
): PlannedTurn<T> {
  const decoded = adapter.decodeRequest(text);
  if (decoded.kind === 'not_a_turn') {
    return { kind: 'bypass', reason: decoded.reason, ruleSet: null, turn: undefined };
  }
  const sent = decoded.turn;
  const ruleSet = matchRuleSet(ruleSets, { endpoint: adapter.protocol, model: sent.model, header });
  if (ruleSet === undefined) return { kind: 'bypass', reason: 'no_rule_set', ruleSet: null, turn: sent };
  if (ruleSet.mode === 'off') {
    return { kind: 'bypass', reason: 'mode_off', ruleSet: ruleSet.name, turn: sent };
  }
  const skills =
    ruleSet.skills === undefined
      ? undefined
      : new SkillTurn<T>({ adapter, text, settings: ruleSet.skills, skills: loaded });
  const turn = skills === undefined ? sent : withoutOurWords(adapter, sent, skills.text);
  const plan = planTurn(turn, ruleSet, skills?.tool);
  const textTools = textToolsOf(ruleSet, turn, plan);
  const isUntouched = turn === sent && textTools === undefined && changesNothing(turn, plan);
  return { kind: 'planned', turn, plan, skills, textTools, isUntouched };
}

function withoutOurWords<T extends Turn>(adapter: ProtocolAdapter<T>, sent: T, text: string): T {
  if (text === sent.text) return sent;
  const decoded = adapter.decodeRequest(text);
  return decoded.kind === 'turn' ? decoded.turn : sent;
}

/** Several answers to one request cannot each have hops of their own, so calls are not read out of them. */
function textToolsOf(ruleSet: CompiledRuleSet, turn: Turn, plan: Plan): CompiledTextTools | undefined {
  const { textTools } = ruleSet;
  if (textTools === undefined || !matchesAny(textTools.models, turn.model ?? '')) return undefined;
  if (turn.oneHopReason === 'several_choices' || turn.oneHopReason === 'background') return undefined;
  const hasTools = plan.applied.tools.length > 0 || plan.skillTool !== undefined || turn.calledKeys.size > 0;
  return hasTools ? textTools : undefined;
}
