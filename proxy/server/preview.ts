import { hopChanges, HopMachine } from '../core/hops/index.ts';
import type { Plan } from '../core/plan/index.ts';
import { chatAdapter, responsesAdapter } from '../core/protocols/index.ts';
import type { ProtocolAdapter } from '../core/protocols/index.ts';
import { isJsonObject, lastMember, parseJson, scanObject, sliceSpan } from '../core/json/index.ts';
import type { CompiledTextTools, Operation } from '../core/rules/index.ts';
import { createTextTransport } from '../core/text-tools/index.ts';
import type { Protocol, Turn } from '../core/turn/index.ts';
import { planRequest } from './planned-turn.ts';
import type { PlanningFacts } from './planned-turn.ts';

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

/** What a preview is made with. */
export interface PreviewSettings {
  readonly endpoint: Protocol;
  readonly rules: Pick<PlanningFacts, 'ruleSets' | 'skills'>;
  /** Headers of the request, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Takes a request through everything but the upstream: what its first hop would send.
 *
 * @param requestBody the raw JSON text of the request
 * @throws ToolrollError where the turn would be refused
 */
export function previewTurn(
  requestBody: string,
  { endpoint, rules, headers = {} }: PreviewSettings,
): Preview {
  const header = (name: string): readonly string[] =>
    Object.hasOwn(headers, name) ? [headers[name] ?? ''] : [];
  return endpoint === 'chat'
    ? previewWith(chatAdapter, requestBody, { ...rules, header })
    : previewWith(responsesAdapter, requestBody, { ...rules, header });
}

function previewWith<T extends Turn>(
  adapter: ProtocolAdapter<T>,
  requestBody: string,
  facts: PlanningFacts,
): Preview {
  const planned = planRequest(adapter, requestBody, facts);
  if (planned.kind === 'bypass') return untouched(requestBody, planned.reason, planned.ruleSet);
  const { turn, plan, textTools } = planned;
  const { hop } = new HopMachine({ plan, parallelToolCalls: true, isValidCall: () => false });
  const native = adapter.encodeRequest(turn, hopChanges(turn, plan, hop));
  const finalRequest = planned.isUntouched ? requestBody : asSent(adapter, native, textTools);
  return {
    originalTools: toolsOf(requestBody),
    modifiedTools: toolsOf(finalRequest),
    operations: plan.applied.operations,
    plan: describe(plan),
    finalRequest,
  };
}

function asSent<T extends Turn>(
  adapter: ProtocolAdapter<T>,
  native: string,
  textTools: CompiledTextTools | undefined,
): string {
  if (textTools === undefined) return native;
  const { protocol } = adapter;
  return createTextTransport({
    protocol,
    settings: textTools,
    attempt: 'last',
    newId: () => '',
  }).encodeRequest(native);
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
