import { randomBytes } from 'node:crypto';

import { ToolrollError } from '../core/errors.ts';
import { hopChanges } from '../core/hops/index.ts';
import type { Hop } from '../core/hops/index.ts';
import type { Plan } from '../core/plan/index.ts';
import { createTextTransport } from '../core/text-tools/index.ts';
import type { TextTransport } from '../core/text-tools/index.ts';
import { estimateTokens } from '../core/tokens/index.ts';
import type { RequestChanges, ToolDefinition, Turn } from '../core/turn/index.ts';
import { HopTimer } from './hop-timer.ts';
import type { HopAnswer, TurnRun } from './turn-run.ts';

/** Makes a turn's hops into requests, and waits for the heads of their answers. */
export class HopSender<T extends Turn> {
  readonly timer: HopTimer;
  readonly #run: TurnRun<T>;
  #transport: TextTransport | undefined;

  constructor(run: TurnRun<T>) {
    this.#run = run;
    this.timer = new HopTimer(run.record);
  }

  /** Why a call of the running hop cannot run; `undefined` for one that can. */
  rejectionOf(callId: string): string | undefined {
    return this.#transport?.rejections.get(callId);
  }

  /** The running hop's answer has been read: what could not be read of it is counted. */
  noteUnreadable(): void {
    this.#run.record.callsUnreadable(this.#transport?.unreadable ?? 0);
  }

  /** @throws UpstreamFailure where no answer comes, ToolrollError where it comes in a coding that cannot be undone */
  async send(hop: Hop): Promise<HopAnswer> {
    const run = this.#run;
    const { adapter, plan, record, skills } = run;
    run.signal.throwIfAborted();
    const turn = skills?.turnWith(hop.skills, run.turn) ?? run.turn;
    const changes = hopChanges(turn, plan, hop);
    this.#transport = this.#openTransport(hop);
    const native = adapter.encodeRequest(turn, changes);
    const body = this.#transport?.encodeRequest(native) ?? native;
    record.hopStarted(hop, shownTokens(plan, changes), plan.ruleSet.auditContents ? body : undefined);
    const response = await this.timer.wait(
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
    if (isSuccess(response.status) && response.undecodable !== undefined) {
      response.body.destroy();
      throw new ToolrollError('upstream_malformed', { reason: `content-encoding ${response.undecodable}` });
    }
    return { hop, changes, response, transport: this.#transport, appended: skills?.endingOf(hop.skills) };
  }

  #openTransport(hop: Hop): TextTransport | undefined {
    const { textTools, adapter, plan } = this.#run;
    if (textTools === undefined) return undefined;
    return createTextTransport({
      protocol: adapter.protocol,
      settings: textTools,
      attempt: hop.attempt,
      knownNames: namesIn(plan),
      newId: () => randomBytes(12).toString('hex'),
    });
  }
}

const menuNames = new WeakMap<Plan['menu'], ReadonlySet<string>>();

/** What the menu names can be called, though it is not shown: such a call is a pick. */
function namesIn({ menu }: Plan): ReadonlySet<string> {
  const known = menuNames.get(menu) ?? new Set(menu.keys());
  menuNames.set(menu, known);
  return known;
}

const definitionTokens = new WeakMap<ToolDefinition, number>();

/** A menu is made once per turn and a skill tool once per revision; hops that show them again need no second count. */
function tokensOf(definition: ToolDefinition): number {
  const known = definitionTokens.get(definition);
  if (known !== undefined) return known;
  const { name, description, parameters } = definition;
  const tokens = estimateTokens(name + description + parameters);
  definitionTokens.set(definition, tokens);
  return tokens;
}

function shownTokens(plan: Plan, changes: RequestChanges): number {
  const menu = changes.added.reduce((sum, tool) => {
    return tool.kind === 'declaration' ? sum : sum + tokensOf(tool.definition);
  }, 0);
  return plan.applied.tools.reduce(
    (sum, { id, estimatedTokens }) =>
      id !== undefined && changes.tools[id] === null ? sum : sum + estimatedTokens,
    menu,
  );
}

/** True for the status of an answer that is one. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
