import { hopChanges, HopMachine, showsMenu } from '../../../../../proxy/core/hops/index.ts';
import type { ItemVerdict, Next } from '../../../../../proxy/core/hops/index.ts';
import type { JsonObject } from '../../../../../proxy/core/json/index.ts';
import { planTurn } from '../../../../../proxy/core/plan/index.ts';
import { chatAdapter } from '../../../../../proxy/core/protocols/index.ts';
import type { DecodedItem, StreamFrame } from '../../../../../proxy/core/protocols/index.ts';
import { compileRuleSet } from '../../../../../proxy/core/rules/index.ts';
import type { RuleSetSpec } from '../../../../../schemas/generated/ruleset.ts';

/** What the app gets, and how the machine went. */
export interface Merged {
  readonly text: string;
  /** What followed each hop. */
  readonly nexts: readonly Next[];
  /** The request of each hop. */
  readonly requests: readonly string[];
  /** True if the upstream's own error went on to the app. */
  readonly errored: boolean;
}

export interface Merging<H> {
  /** The app's request body. */
  readonly request: string;
  readonly spec?: RuleSetSpec;
  /** Words of ours at the end of the answer. */
  readonly appended?: string;
  /** What the upstream answers to each hop. Hops that the machine does not ask for are not read. */
  readonly hops: readonly H[];
}

/**
 * Joins streams as a turn does, without a server: chunks through the decoder, the hop machine and the encoder. So every
 * place of a cut can be tried.
 */
export function mergeHops({ request, spec, appended, hops }: Merging<readonly Uint8Array[]>): Merged {
  const { turn, plan, names } = planned(request, spec);
  const machine = newMachine(turn, plan);
  const encoder = chatAdapter.createStreamEncoder(turn, names);
  const output: (string | Uint8Array)[] = [];
  const nexts: Next[] = [];
  const requests: string[] = [];
  const usage: JsonObject[] = [];
  const seen = { error: false };
  for (const chunks of hops) {
    const { hop } = machine;
    requests.push(chatAdapter.encodeRequest(turn, hopChanges(turn, plan, hop)));
    encoder.beginHop({ echo: {}, mode: showsMenu(plan, hop) ? 'held' : 'live', appended });
    const next = readHop(chunks);
    if (next === undefined) {
      if (!seen.error)
        output.push(...encoder.fail({ type: 'server_error', code: 'upstream_closed', message: 'cut' }));
      break;
    }
    nexts.push(next);
    if (next.kind !== 'hop') break;
  }
  const text = Buffer.concat(output.map((piece) => Buffer.from(piece))).toString('utf8');
  return { text, nexts, requests, errored: seen.error };

  function readHop(chunks: readonly Uint8Array[]): Next | undefined {
    const decoder = chatAdapter.createStreamDecoder();
    let next: Next | undefined;
    for (const chunk of chunks) for (const frame of decoder.push(chunk)) next = take(frame, next);
    for (const frame of decoder.flush()) next = take(frame, next);
    return next;
  }

  function take(frame: StreamFrame, next: Next | undefined): Next | undefined {
    if (next !== undefined) {
      if (next.kind === 'answer') output.push(frame.raw);
      return next;
    }
    const verdicts: ItemVerdict[] = [];
    for (const signal of frame.signals) {
      if (signal.kind === 'errored') seen.error = true;
      else if (signal.kind === 'opened') verdicts.push(...machine.open(signal.index, signal.item));
      else if (signal.kind === 'closed')
        verdicts.push(...machine.close(signal.index, signal.item, signal.text));
      else {
        const end = machine.end(signal.status);
        if (signal.usage !== undefined) usage.push(signal.usage);
        const all = [...verdicts, ...end.verdicts];
        output.push(
          ...(end.next.kind === 'answer' ? encoder.finish(frame, all, usage) : encoder.endHop(all)),
        );
        return end.next;
      }
    }
    output.push(...encoder.push(frame, verdicts));
    return undefined;
  }
}

/** The same for answers that come as JSON. */
export function mergeJson({ request, spec, appended, hops }: Merging<string>): Merged {
  const { turn, plan, names } = planned(request, spec);
  const machine = newMachine(turn, plan);
  const earlier: DecodedItem[] = [];
  const nexts: Next[] = [];
  const requests: string[] = [];
  const usage: JsonObject[] = [];
  let text = '';
  for (const answer of hops) {
    requests.push(chatAdapter.encodeRequest(turn, hopChanges(turn, plan, machine.hop)));
    const decoded = chatAdapter.decodeResponse(answer);
    if (decoded === undefined) throw new TypeError('no answer');
    const shown = new Set<number>();
    const note = (verdicts: readonly ItemVerdict[]): void => {
      for (const { index, verdict } of verdicts) if (verdict === 'show') shown.add(index);
    };
    decoded.items.forEach(({ item, text: own }, index) => {
      note(machine.open(index, item));
      note(machine.close(index, item, own));
    });
    const { next, verdicts } = machine.end(decoded.status);
    note(verdicts);
    if (decoded.usage !== undefined) usage.push(decoded.usage);
    nexts.push(next);
    if (next.kind !== 'hop') {
      text = chatAdapter.encodeResponse(decoded, { shown, earlier, echo: {}, names, usage, appended });
      break;
    }
    earlier.push(...decoded.items.filter((_, index) => shown.has(index)));
  }
  return { text, nexts, requests, errored: false };
}

type Planned = ReturnType<typeof plannedAnew>;

function newMachine(turn: Planned['turn'], plan: Planned['plan']): HopMachine {
  return new HopMachine({ plan, parallelToolCalls: turn.parallelToolCalls, isValidCall: () => true });
}

const plans = new Map<string, Planned>();

/** Thousands of cuts of one turn share its plan. */
function planned(request: string, spec: RuleSetSpec = {}): Planned {
  const key = JSON.stringify([request, spec]);
  const known = plans.get(key) ?? plannedAnew(request, spec);
  plans.set(key, known);
  return known;
}

function plannedAnew(request: string, spec: RuleSetSpec) {
  const decoded = chatAdapter.decodeRequest(request);
  if (decoded.kind !== 'turn') throw new TypeError(`not a turn: ${decoded.reason}`);
  const { turn } = decoded;
  const { ruleSet, faults } = compileRuleSet({
    apiVersion: 'toolroll.dev/v1alpha1',
    kind: 'RuleSet',
    metadata: { name: 'test' },
    spec: {
      ...spec,
      selection: { strategy: 'two_hop', minTools: 2, minToolTokens: 0, ...spec.selection },
    },
  });
  if (faults.length > 0) throw new TypeError(JSON.stringify(faults));
  const plan = planTurn(turn, ruleSet);
  return { turn, plan, names: { backward: plan.applied.backward, isDeclared: () => false } };
}
