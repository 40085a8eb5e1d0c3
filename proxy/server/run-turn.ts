import { ToolrollError } from '../core/errors.ts';
import { HopMachine, isValidCall } from '../core/hops/index.ts';
import type { Hop, Next } from '../core/hops/index.ts';
import type { Turn } from '../core/turn/index.ts';
import { isEventStream } from './event-stream.ts';
import { HopSender, isSuccess } from './hop-sender.ts';
import { JsonAnswer } from './json-answer.ts';
import { relayError } from './relay-error.ts';
import { StreamAnswer } from './stream-answer.ts';
import type { AnswerContext, HopAnswer, TurnRun } from './turn-run.ts';

/**
 * Runs a turn from its first hop to its answer: encode, send, let the machine judge what comes back, and either the app
 * has its answer or the next hop follows.
 *
 * @throws ToolrollError for what the app has to be told, as long as no stream has begun; UpstreamFailure likewise
 */
export async function runTurn<T extends Turn>(run: TurnRun<T>): Promise<void> {
  const hops = new HopSender(run);
  const machine = new HopMachine({
    plan: run.plan,
    parallelToolCalls: run.turn.parallelToolCalls,
    isValidCall: (key, argumentsText) => isValidCall(run.plan, key, argumentsText),
    rejectionOf: (callId) => hops.rejectionOf(callId),
  });
  const context: AnswerContext<T> = { run, machine, timer: hops.timer, usage: [] };
  const stream = new StreamAnswer(context);
  try {
    await runHops(context, hops, stream);
  } catch (error) {
    await stream.breakOff(error);
  }
}

async function runHops<T extends Turn>(
  context: AnswerContext<T>,
  hops: HopSender<T>,
  stream: StreamAnswer<T>,
): Promise<void> {
  const json = new JsonAnswer(context);
  for (;;) {
    const answer = await hops.send(context.machine.hop);
    if (!isSuccess(answer.response.status)) {
      if (await fallsBack(context, answer)) continue;
      await relayError(context, answer.response, stream);
      return;
    }
    const next = isEventStream(answer.response.headers['content-type'])
      ? await takeStream(answer, json, stream)
      : await json.take(answer);
    hops.noteUnreadable();
    if (next.kind === 'answer') return;
    if (next.kind === 'refuse') throw new ToolrollError(next.code, { rounds: next.rounds });
  }
}

/** No server answers a part of a turn as JSON and the rest as a stream; one that does must not lose us items. */
async function takeStream<T extends Turn>(
  answer: HopAnswer,
  json: JsonAnswer<T>,
  stream: StreamAnswer<T>,
): Promise<Next> {
  if (!json.keepsItems) return stream.take(answer);
  answer.response.body.destroy();
  throw new ToolrollError('upstream_malformed', {
    reason: 'it answered one hop with JSON, the next with a stream',
  });
}

/** Hops that carry what the app did not write. */
function isOurs({ kind, carried }: Hop): boolean {
  return carried.length > 0 && (kind === 'reselect' || kind === 'retry' || kind === 'skill');
}

/** A hop that only we asked for was refused for its form: the app must not suffer from it. */
async function fallsBack<T extends Turn>(context: AnswerContext<T>, answer: HopAnswer): Promise<boolean> {
  const { machine, run } = context;
  if (!isOurs(answer.hop) || answer.response.status !== 400) return false;
  run.record.hopFailed('the upstream refused to be asked again');
  // Read to its end, so that its connection can be kept.
  await context.timer.consume(answer.response.body, () => undefined);
  machine.fallBack('reselect_refused');
  return true;
}
