import { ask, json, message, response, startScript, startWith } from './support/index.ts';
import type {
  Answer,
  Answered,
  Json,
  RunningToolroll,
  ScriptedUpstream,
  Sent,
  ToolrollSetup,
} from './support/index.ts';

/** One turn and what it runs under. */
export interface Passed extends Omit<Sent, 'path'>, Omit<ToolrollSetup, 'upstream'> {
  /** What the upstream answers, hop by hop; `ok` in words if left out. */
  readonly script?: readonly Answer[];
}

/** What became of it. */
export interface Passage {
  readonly answer: Answered;
  readonly toolroll: RunningToolroll;
  readonly upstream: ScriptedUpstream;
  /** The bodies that the upstream got, hop by hop. */
  readonly sent: readonly string[];
}

type Starting = <T extends { close(): Promise<void> }>(starting: Promise<T>) => Promise<T>;

/** The answer of an upstream that is content with words. */
export const inWords: Answer = json(response({ items: [message('ok')] }));

/** Sends one turn through a Toolroll of its own. */
export async function passTurn(started: Starting, passed: Passed): Promise<Passage> {
  const { body, headers, script = [inWords], ...setup } = passed;
  const upstream = await started(startScript(script));
  const toolroll = await started(startWith({ upstream, ...setup }));
  const answer = await ask(toolroll, body, headers === undefined ? {} : { headers });
  return { answer, toolroll, upstream, sent: upstream.requests.map(({ bodyText }) => bodyText) };
}

/** A rule set's spec that only changes tools. */
export function rules(...tools: readonly Json[]): Json {
  return { tools };
}
