import { hopChanges, HopMachine } from '../core/hops/index.ts';
import { planTurn } from '../core/plan/index.ts';
import type { Plan } from '../core/plan/index.ts';
import { responsesAdapter } from '../core/protocols/index.ts';
import { isJsonObject, lastMember, parseJson, scanObject, sliceSpan } from '../core/json/index.ts';
import { matchRuleSet } from '../core/rules/index.ts';
import type { CompiledRuleSet, Operation } from '../core/rules/index.ts';

/** What a turn would become. JSON texts are raw, so that numbers and spelling survive. */
export interface Preview {
  readonly originalTools: string;
  readonly modifiedTools: string;
  readonly operations: readonly Operation[];
  readonly plan: {
    readonly name: 'bypass' | 'direct' | 'two_hop';
    readonly reasons: readonly string[];
    readonly ruleSet: string | null;
  };
  readonly finalRequest: string;
}

/**
 * Takes a request through everything but the upstream: what its first hop would send.
 *
 * @param requestBody the raw JSON text of the request
 * @param headers of the request, by lower-case name
 * @throws ToolrollError where the turn would be refused
 */
export function previewTurn(
  requestBody: string,
  ruleSets: readonly CompiledRuleSet[],
  headers: Readonly<Record<string, string>> = {},
): Preview {
  const decoded = responsesAdapter.decodeRequest(requestBody);
  if (decoded.kind === 'not_a_turn') return untouched(requestBody, decoded.reason, null);
  const { turn } = decoded;
  const ruleSet = matchRuleSet(ruleSets, {
    endpoint: turn.protocol,
    model: turn.model,
    header: (name) => (Object.hasOwn(headers, name) ? [headers[name] ?? ''] : []),
  });
  if (ruleSet === undefined) return untouched(requestBody, 'no_rule_set', null);
  if (ruleSet.mode === 'off') return untouched(requestBody, 'mode_off', ruleSet.name);
  const plan = planTurn(turn, ruleSet);
  const { hop } = new HopMachine({ plan, parallelToolCalls: true, isValidCall: () => false });
  const finalRequest = responsesAdapter.encodeRequest(turn, hopChanges(turn, plan, hop));
  return {
    originalTools: toolsOf(requestBody),
    modifiedTools: toolsOf(finalRequest),
    operations: plan.applied.operations,
    plan: describe(plan),
    finalRequest,
  };
}

function describe(plan: Plan): Preview['plan'] {
  return { name: plan.kind, reasons: plan.reasons, ruleSet: plan.ruleSet.name };
}

function untouched(requestBody: string, reason: string, ruleSet: string | null): Preview {
  const tools = toolsOf(requestBody);
  return {
    originalTools: tools,
    modifiedTools: tools,
    operations: [],
    plan: { name: 'bypass', reasons: [reason], ruleSet },
    finalRequest: requestBody,
  };
}

function toolsOf(text: string): string {
  if (!isJsonObject(parseJson(text))) return '[]';
  const tools = lastMember(scanObject(text), 'tools');
  return tools === undefined ? '[]' : sliceSpan(text, tools.value);
}
