import { showsMenu } from '../core/hops/index.ts';
import type { Hop, HopMachine } from '../core/hops/index.ts';
import type { JsonObject } from '../core/json/index.ts';
import type { ProtocolAdapter } from '../core/protocols/index.ts';
import type { TextTransport } from '../core/text-tools/index.ts';
import type { RequestChanges, Turn } from '../core/turn/index.ts';
import type { RawHeaders, Upstream, UpstreamResponse } from '../upstream/index.ts';
import type { AppResponse } from './app-response.ts';
import type { HopTimer } from './hop-timer.ts';
import type { TurnPlan } from './planned-turn.ts';
import type { TurnRecord } from './turn-record.ts';

/** One turn that has a plan, and what it runs with. */
export interface TurnRun<T extends Turn> extends TurnPlan<T> {
  readonly adapter: ProtocolAdapter<T>;
  readonly upstream: Upstream;
  readonly request: { readonly path: string; readonly headers: RawHeaders };
  readonly app: AppResponse;
  readonly record: TurnRecord;
  readonly signal: AbortSignal;
  readonly keepaliveSeconds: number;
  /** Told of a failure that reaches the app inside its stream, for the log and the metrics. */
  readonly onFailure: (error: unknown) => void;
}

/** What the answers of both shapes (JSON and stream) need of a turn. */
export interface AnswerContext<T extends Turn> {
  readonly run: TurnRun<T>;
  readonly machine: HopMachine;
  readonly timer: HopTimer;
  /** The usage of every hop that gave one, in order. */
  readonly usage: JsonObject[];
}

/** One hop's answer, well received, and what its request changed. */
export interface HopAnswer {
  readonly hop: Hop;
  readonly changes: RequestChanges;
  readonly response: UpstreamResponse;
  /** Only where the model has its tools as text. */
  readonly transport: TextTransport | undefined;
  /** Words of ours that end the answer's text, if this hop is the answer. */
  readonly appended: string | undefined;
}

/** True if the answer of that hop may hold something that the app must not see. */
export function mustBeRead(
  { plan, textTools }: Pick<TurnPlan<Turn>, 'plan' | 'textTools'>,
  hop: Hop,
): boolean {
  return (
    showsMenu(plan, hop) ||
    plan.applied.backward.size > 0 ||
    plan.skillTool !== undefined ||
    textTools !== undefined
  );
}
