import { answersItself, exchange } from './client.ts';
import type { Question, Target } from './client.ts';
import { formFaults, isServersOwn, turnFaults } from './check-turn.ts';
import type { Evidence } from './check-turn.ts';
import { readAnswer } from './read-wire.ts';
import { ruleSetHeader } from './rule-sets.ts';
import type { RuleSetName } from './rule-sets.ts';
import type { Toolroll } from './start-toolroll.ts';
import type { Answer, Talk } from './talk.ts';

/** What a turn is run with. */
export interface TurnSetting {
  /** The server, asked directly. */
  readonly server: Target;
  readonly toolroll: Toolroll;
}

/** What is asked in a turn. */
export interface TurnQuestion {
  readonly rules: RuleSetName;
  readonly turn: number;
  readonly question: Question;
}

/** What came of a turn. */
export interface TurnResult {
  readonly faults: readonly string[];
  /** What is odd and not ours. */
  readonly notes: readonly string[];
  readonly answer: Answer | undefined;
  readonly hops: readonly string[];
  readonly promptTokens: string;
  readonly seconds: number;
}

/** Sends one turn through Toolroll and checks it. */
export async function runTurn(setting: TurnSetting, asked: TurnQuestion): Promise<TurnResult> {
  const { server, toolroll } = setting;
  const target = {
    ...server,
    baseUrl: toolroll.baseUrl,
    headers: { [ruleSetHeader]: asked.rules },
  };
  const first = await exchange(target, asked.question);
  const firstRecord = await toolroll.nextRecord();
  const evidence = { ...asked, got: first, record: firstRecord };
  const { faults, notes } = await judge(setting, evidence);
  const { hops, tokens } = firstRecord;
  return {
    faults: [...faults, ...complaintsOf(toolroll)],
    notes,
    answer: orUndefined(() => readAnswer(first.body, asked.question)),
    hops: hops.map(({ kind }) => kind),
    promptTokens: `${tokens.estimated ? '~' : ''}${String(tokens.input)}`,
    seconds: first.seconds,
  };
}

interface Judgement {
  readonly faults: readonly string[];
  readonly notes: readonly string[];
}

async function judge(setting: TurnSetting, evidence: Evidence): Promise<Judgement> {
  const { got } = evidence;
  if (got.status !== 200) return judgeRefusal(setting, evidence);
  const form = attempt(() => formFaults(evidence));
  const turn = attempt(() => turnFaults(evidence));
  const client = got.clientError === undefined ? [] : [`the openai client: ${got.clientError}`];
  if (form.length + client.length === 0) return { faults: turn, notes: [] };
  if (isServersOwn(evidence) || (await hasSameHabit(setting.server, evidence))) {
    return { faults: turn, notes: [...form, ...client].map((fault) => `the server's own: ${fault}`) };
  }
  return { faults: [...form, ...client, ...turn], notes: [] };
}

/** Of a turn that is forwarded as it came no bodies are kept: the server is asked directly for one of the same form. */
async function hasSameHabit(server: Target, evidence: Evidence): Promise<boolean> {
  if ((evidence.record.contents?.hops ?? []).length > 0 || server.baseUrl.startsWith('https:')) return false;
  const got = await exchange(server, evidence.question);
  if (got.status !== 200) return false;
  return got.clientError !== undefined || attempt(() => formFaults({ ...evidence, got })).length > 0;
}

/** A refusal is the server's where it refuses the app's own request too, without what becomes text on the way. */
async function judgeRefusal(
  { server }: TurnSetting,
  { rules, got, question, record }: Evidence,
): Promise<Judgement> {
  const statuses = record.hops.map(({ status }) => String(status)).join(', ');
  const told =
    got.status === 0
      ? got.clientError
      : `${String(got.status)} ${got.body.replace(/\s+/g, ' ').slice(0, 300)}`;
  const what = `${String(told)} (hops: ${statuses || 'none'})`;
  const isServers =
    got.status !== 0 && !(await answersItself(server, { ...question, talk: untold(question, rules) }));
  return isServers
    ? { faults: [], notes: [`the server refuses this itself: ${what}`] }
    : { faults: [what], notes: [] };
}

function untold({ talk }: Question, rules: RuleSetName): Talk {
  if (!rules.startsWith('text')) return talk;
  return { ...talk, said: talk.said.filter(({ by }) => by !== 'tool') };
}

function attempt(check: () => readonly string[]): readonly string[] {
  try {
    return check();
  } catch (error) {
    return [`cannot be read: ${String(error)}`];
  }
}

function orUndefined<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** What the log has of errors is a fault, even where the app saw nothing of it. */
function complaintsOf(toolroll: Toolroll): readonly string[] {
  return toolroll
    .takeComplaints()
    .filter((line) => /"level":"?(error|fatal|50|60)/.test(line))
    .map((line) => `logged: ${line.trim().slice(0, 300)}`);
}
