import type { SkillLoader } from '../core/plan/index.ts';
import { createSkillTool } from '../core/meta-tools/index.ts';
import type { SkillResolution, SkillTool } from '../core/meta-tools/index.ts';
import { ToolrollError } from '../core/errors.ts';
import type { Echo, ProtocolAdapter } from '../core/protocols/index.ts';
import { matchesAny } from '../core/rules/index.ts';
import type { CompiledSkillSettings } from '../core/rules/index.ts';
import {
  asksForData,
  endingMarkers,
  findSkill,
  fitSkills,
  overBudgetAnswer,
  prepareSkills,
} from '../core/skills/index.ts';
import type { PreparedSkills, SkillMap } from '../core/skills/index.ts';
import type { Turn } from '../core/turn/index.ts';

/** What the model calls to load a skill. */
const TOOL_NAME = 'Skill';

/** What a turn's skills are read from. */
export interface SkillSource<T extends Turn> {
  readonly adapter: ProtocolAdapter<T>;
  /** The request as the app sent it. */
  readonly text: string;
  readonly settings: CompiledSkillSettings;
  /** Everything that is loaded. */
  readonly skills: SkillMap;
}

/**
 * The skills of one turn: what the conversation uses already, what the model may load, and the request as it reads with
 * what it has loaded.
 */
export class SkillTurn<T extends Turn> {
  readonly #source: SkillSource<T>;
  readonly #offered: SkillMap;
  readonly #prepared: PreparedSkills;
  readonly #turns = new Map<string, T>();
  #fellBack = false;

  /** @throws ToolrollError `invalid_request` where the request's own words about skills cannot be followed */
  constructor(source: SkillSource<T>) {
    this.#source = source;
    this.#offered = offeredSkills(source.skills, source.settings);
    this.#prepared = this.#prepare([]);
    this.#fellBack = this.#prepared.fellBack;
    const [error] = this.#prepared.fieldErrors;
    if (error !== undefined) {
      throw new ToolrollError('invalid_request', { reason: error.message }, { param: error.param });
    }
  }

  /** The request without our words in it; the app's own text where it holds none. */
  get text(): string {
    return this.#prepared.text;
  }

  /** Names of the skills that the conversation uses already. */
  get active(): readonly string[] {
    return this.#prepared.active;
  }

  /** What operators should know: marked skills that are gone, a placeholder that is not there. */
  get notes(): { readonly missing: readonly string[]; readonly fellBack: boolean } {
    return { missing: this.#prepared.missing, fellBack: this.#fellBack };
  }

  /** What the app sent in fields that the upstream repeats, where they read otherwise with skills. */
  get echo(): Echo {
    return this.#prepared.echo;
  }

  /** The tool that loads skills, if this turn offers it. */
  get tool(): SkillLoader | undefined {
    const { settings } = this.#source;
    const isOffered = this.#prepared.fields.includeSkillTool ?? settings.tool;
    if (!isOffered || this.#offered.size === 0) return undefined;
    const tool = skillToolOf(this.#offered);
    return {
      definition: tool.definition,
      resolve: (argumentsText, beside) => this.#admit(tool.resolve(argumentsText), beside),
    };
  }

  /** The turn as it reads with these skills loaded. */
  turnWith(names: readonly string[], turn: T): T {
    if (names.length === 0) return turn;
    const key = JSON.stringify(names);
    const known = this.#turns.get(key);
    if (known !== undefined) return known;
    const prepared = this.#prepare(names);
    this.#fellBack ||= prepared.fellBack;
    const loaded = this.#decode(prepared.text);
    this.#turns.set(key, loaded);
    return loaded;
  }

  /** The words that end an answer for which these skills were loaded. Data cannot have any: the app would not be able to read them. */
  endingOf(names: readonly string[]): string | undefined {
    const fresh = names.filter((name) => !this.active.includes(name) || this.#prepared.last !== name);
    if (fresh.length === 0 || asksForData(this.#source.adapter.protocol, this.#source.text)) return undefined;
    return endingMarkers(fresh);
  }

  #prepare(loading: readonly string[]): PreparedSkills {
    const { adapter, text, settings } = this.#source;
    return prepareSkills(adapter.protocol, text, {
      skills: this.#offered,
      strategy: settings.strategy,
      toolName: TOOL_NAME,
      loading,
    });
  }

  #decode(text: string): T {
    const decoded = this.#source.adapter.decodeRequest(text);
    if (decoded.kind === 'turn') return decoded.turn;
    throw new TypeError(`a request with skills is no turn: ${decoded.reason}`);
  }

  /** A skill that the conversation has is not loaded again, and one that has no room not at all. */
  #admit(call: SkillResolution, beside: readonly string[]): SkillResolution {
    if (call.kind === 'answer') return call;
    const { maxTokensPerTurn } = this.#source.settings;
    const { active, last, place } = this.#prepared;
    const replaces = place === 'system';
    const present = replaces ? [beside.at(-1) ?? last] : [...active, ...beside];
    const wanted = call.names.filter((name) => !present.includes(name));
    if (wanted.length === 0) return { kind: 'answer', text: presentAnswer(call.names) };
    const { fits, over } = fitSkills({
      requested: this.#find(wanted),
      active: replaces ? [] : this.#find([...active, ...beside]),
      maxTokensPerTurn,
    });
    const [first] = over;
    if (fits.length === 0 && first !== undefined) {
      return { kind: 'answer', text: overBudgetAnswer(first, maxTokensPerTurn) };
    }
    return { kind: 'load', names: fits.map(({ name }) => name) };
  }

  #find(names: readonly string[]): ReturnType<typeof fitSkills>['fits'] {
    return names.flatMap((name) => findSkill(this.#offered, name) ?? []);
  }
}

function presentAnswer(names: readonly string[]): string {
  const list = names.map((name) => JSON.stringify(name)).join(', ');
  return `You have this already: ${list}. Its content stands above; answer from it.`;
}

const offeredMemo = new WeakMap<SkillMap, WeakMap<CompiledSkillSettings, SkillMap>>();
const toolMemo = new WeakMap<SkillMap, SkillTool>();

/** A revision's skills under a rule set's settings are always the same map, so what is made of them is made once. */
function offeredSkills(skills: SkillMap, settings: CompiledSkillSettings): SkillMap {
  const { names } = settings;
  if (names === undefined) return skills;
  let perSettings = offeredMemo.get(skills);
  if (perSettings === undefined) offeredMemo.set(skills, (perSettings = new WeakMap()));
  let offered = perSettings.get(settings);
  if (offered === undefined) {
    offered = new Map([...skills].filter(([name]) => matchesAny(names, name)));
    perSettings.set(settings, offered);
  }
  return offered;
}

function skillToolOf(skills: SkillMap): SkillTool {
  let tool = toolMemo.get(skills);
  if (tool === undefined) {
    tool = createSkillTool(TOOL_NAME, [...skills.values()]);
    toolMemo.set(skills, tool);
  }
  return tool;
}
