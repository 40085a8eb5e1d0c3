import { hopChanges, HopMachine, showsMenu } from '../../../../../proxy/core/hops/index.ts';
import type { Next } from '../../../../../proxy/core/hops/index.ts';
import { planTurn } from '../../../../../proxy/core/plan/index.ts';
import type { SkillLoader } from '../../../../../proxy/core/plan/index.ts';
import { responsesAdapter } from '../../../../../proxy/core/protocols/index.ts';
import type { StreamFrame } from '../../../../../proxy/core/protocols/index.ts';
import { compileRuleSet } from '../../../../../proxy/core/rules/index.ts';
import { endingMarkers } from '../../../../../proxy/core/skills/index.ts';
import type { Selection } from '../../../../../schemas/generated/ruleset.ts';

/** What the app gets, and how the machine went. */
export interface Merged {
  readonly text: string;
  /** What followed each hop. */
  readonly nexts: readonly Next[];
}

export interface Merging {
  /** The app's request body. */
  readonly request: string;
  readonly selection?: Selection;
  /** Offered in every hop; what it has loaded ends the answer with a marker. */
  readonly skillTool?: SkillLoader;
  /** The chunks of each hop's stream. Hops that the machine does not ask for are not read. */
  readonly hops: readonly (readonly Uint8Array[])[];
}

/**
 * Joins streams as a turn does, without a server: chunks through the decoder, the hop machine and the encoder. So every
 * place of a cut can be tried.
 */
export function mergeHops({ request, selection = {}, skillTool, hops }: Merging): Merged {
  const { turn, plan } = planned(request, selection, skillTool);
  const machine = new HopMachine({
    plan,
    parallelToolCalls: turn.parallelToolCalls,
    isValidCall: () => true,
  });
  const encoder = responsesAdapter.createStreamEncoder(turn, {
    backward: plan.applied.backward,
    isDeclared: () => false,
  });
  const output: (string | Uint8Array)[] = [];
  const nexts: Next[] = [];
  for (const chunks of hops) {
    const { hop } = machine;
    const echo = responsesAdapter.echoOf(turn, hopChanges(turn, plan, hop));
    encoder.beginHop({
      echo,
      mode: showsMenu(plan, hop) ? 'held' : 'live',
      appended: hop.skills.length === 0 ? undefined : endingMarkers(hop.skills),
    });
    const next = readHop(chunks);
    if (next === undefined) break;
    nexts.push(next);
    if (next.kind !== 'hop') break;
  }
  return { text: Buffer.concat(output.map((piece) => Buffer.from(piece))).toString('utf8'), nexts };

  function readHop(chunks: readonly Uint8Array[]): Next | undefined {
    const decoder = responsesAdapter.createStreamDecoder();
    let next: Next | undefined;
    for (const chunk of chunks) for (const frame of decoder.push(chunk)) next = take(frame, next);
    for (const frame of decoder.flush()) next = take(frame, next);
    return next;
  }

  function take(frame: StreamFrame, next: Next | undefined): Next | undefined {
    const [signal] = frame.signals;
    if (next !== undefined) {
      if (next.kind === 'answer') output.push(frame.raw);
      return next;
    }
    if (signal?.kind === 'ended') {
      const end = machine.end(signal.status);
      output.push(
        ...(end.next.kind === 'answer'
          ? encoder.finish(frame, end.verdicts, [])
          : encoder.endHop(end.verdicts)),
      );
      return end.next;
    }
    if (signal?.kind === 'opened')
      output.push(...encoder.push(frame, machine.open(signal.index, signal.item)));
    else if (signal?.kind === 'closed') {
      output.push(...encoder.push(frame, machine.close(signal.index, signal.item, signal.text)));
    } else output.push(...encoder.push(frame, []));
    return undefined;
  }
}

type Planned = ReturnType<typeof plannedAnew>;

const plans = new Map<string, Planned>();

/** Thousands of cuts of one turn share its plan. */
function planned(request: string, selection: Selection, skillTool?: SkillLoader): Planned {
  const key = JSON.stringify([request, selection, skillTool?.definition]);
  const known = plans.get(key) ?? plannedAnew(request, selection, skillTool);
  plans.set(key, known);
  return known;
}

function plannedAnew(request: string, selection: Selection, skillTool?: SkillLoader) {
  const decoded = responsesAdapter.decodeRequest(request);
  if (decoded.kind !== 'turn') throw new TypeError(`not a turn: ${decoded.reason}`);
  const { turn } = decoded;
  const { ruleSet } = compileRuleSet({
    apiVersion: 'toolroll.dev/v1alpha1',
    kind: 'RuleSet',
    metadata: { name: 'test' },
    spec: {
      selection: { strategy: 'two_hop', minTools: 2, minToolTokens: 0, usage: 'final', ...selection },
    },
  });
  return { turn, plan: planTurn(turn, ruleSet, skillTool) };
}
