import { ToolrollError } from '../core/errors.ts';
import { hopChanges, HopMachine, isValidCall } from '../core/hops/index.ts';
import type { Next } from '../core/hops/index.ts';
import type { Plan } from '../core/plan/index.ts';
import { estimateTokens } from '../core/tokens/index.ts';
import type { RequestChanges, Turn } from '../core/turn/index.ts';
import type { UpstreamResponse } from '../upstream/index.ts';
import { isEventStream } from './event-stream.ts';
import { HopTimer } from './hop-timer.ts';
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
  const machine = new HopMachine({
    plan: run.plan,
    parallelToolCalls: run.turn.parallelToolCalls,
    isValidCall: (key, argumentsText) => isValidCall(run.plan, key, argumentsText),
  });
  const context: AnswerContext<T> = { run, machine, timer: new HopTimer(run.record), usage: [] };
  const stream = new StreamAnswer(context);
  try {
    await runHops(context, stream);
  } catch (error) {
    await stream.breakOff(error);
  }
}

async function runHops<T extends Turn>(context: AnswerContext<T>, stream: StreamAnswer<T>): Promise<void> {
  const json = new JsonAnswer(context);
  for (;;) {
    const answer = await sendHop(context);
    if (!isSuccess(answer.response)) {
      if (await fallsBack(context, answer)) continue;
      await relayError(context, answer.response, stream);
      return;
    }
    const next = isEventStream(answer.response.headers['content-type'])
      ? await takeStream(answer, json, stream)
      : await json.take(answer);
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

async function sendHop<T extends Turn>({ run, machine, timer }: AnswerContext<T>): Promise<HopAnswer> {
  const { adapter, turn, plan, record } = run;
  const { hop } = machine;
  run.signal.throwIfAborted();
  const changes = hopChanges(turn, plan, hop);
  const body = adapter.encodeRequest(turn, changes);
  record.hopStarted(hop, shownTokens(plan, changes), plan.ruleSet.auditContents ? body : undefined);
  const response = await timer.wait(
    run.upstream.send({
      method: 'POST',
      path: run.request.path,
      headers: run.request.headers,
      body: Buffer.from(body),
      signal: run.signal,
      answer: 'decoded',
    }),
  );
  record.hopAnswered(response.status);
  if (isSuccess(response) && response.undecodable !== undefined) {
    response.body.destroy();
    throw new ToolrollError('upstream_malformed', { reason: `content-encoding ${response.undecodable}` });
  }
  return { hop, changes, response };
}

function shownTokens(plan: Plan, changes: RequestChanges): number {
  const menu = changes.added.reduce((sum, tool) => {
    if (tool.kind === 'declaration') return sum;
    const { name, description, parameters } = tool.definition;
    return sum + estimateTokens(name + description + parameters);
  }, 0);
  return plan.applied.tools.reduce(
    (sum, { id, estimatedTokens }) =>
      id !== undefined && changes.tools[id] === null ? sum : sum + estimatedTokens,
    menu,
  );
}

function isSuccess(response: UpstreamResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

/** A hop that only we asked for was refused for its form: the app must not suffer from it. */
async function fallsBack<T extends Turn>(context: AnswerContext<T>, answer: HopAnswer): Promise<boolean> {
  const { machine, run } = context;
  if (answer.hop.kind !== 'reselect' || answer.response.status !== 400) return false;
  run.record.hopFailed('the upstream refused to be asked again');
  // Read to its end, so that its connection can be kept.
  await context.timer.consume(answer.response.body, () => undefined);
  machine.fallBack('reselect_refused');
  return true;
}
