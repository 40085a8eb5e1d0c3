import type { ElementChange } from '../json/index.ts';
import { estimateTokens } from '../tokens/index.ts';
import type { DeclaredTool, ToolList } from '../turn/index.ts';
import type { CompiledRule, CompiledRuleSet } from './compile.ts';
import { editDefinition } from './definition.ts';
import { matchesAny } from './pattern.ts';
import type { Matcher } from './pattern.ts';
import { trimDefinition } from './trim.ts';

/** A tool as the upstream shall see it, once the rules have been applied. */
export interface AppliedTool {
  /** The id of the declared tool; `undefined` for one that a rule injects. */
  readonly id: number | undefined;
  /** Its key for the upstream: `namespace.name` or the name alone. */
  readonly key: string;
  readonly name: string;
  /** What rules may call it by: the app's names and the upstream's. */
  readonly names: readonly string[];
  readonly rollable: boolean;
  /** True for a free-text tool. */
  readonly isCustom: boolean;
  readonly text: string;
  /** Where in `text` the object with `name`, `description` and `parameters` starts. */
  readonly definitionStart: number;
  readonly estimatedTokens: number;
}

/** One thing that a rule did to one tool, for audit records and previews. */
export interface Operation {
  readonly operation: CompiledRule['kind'];
  readonly rule: string;
  readonly tool: string;
  readonly detail?: string;
}

/** What the rules make of the tools of a turn. */
export interface AppliedRules {
  /** The tools that remain, in the app's order, injected ones last. */
  readonly tools: readonly AppliedTool[];
  /** By declared id: the new text, `null` where filtered, `undefined` where untouched. */
  readonly changes: readonly ElementChange[];
  /** Upstream names by the key that the app knows. */
  readonly forward: ReadonlyMap<string, string>;
  /** App names by the key that the upstream knows. */
  readonly backward: ReadonlyMap<string, string>;
  /** The rule that removed a tool, by the key that the app knows. */
  readonly denied: ReadonlyMap<string, string>;
  readonly operations: readonly Operation[];
  /** Estimated tokens of all tools as the app sent them. */
  readonly sentTokens: number;
}

const memo = new WeakMap<CompiledRuleSet, WeakMap<ToolList, AppliedRules>>();

/**
 * Applies the rules of a set to the tools of a turn, in the order of the rules.
 *
 * The result is remembered for as long as the tool list is: apps send the same tools turn after turn.
 */
export function applyRules(ruleSet: CompiledRuleSet, list: ToolList): AppliedRules {
  let perList = memo.get(ruleSet);
  if (perList === undefined) memo.set(ruleSet, (perList = new WeakMap()));
  let applied = perList.get(list);
  if (applied === undefined) perList.set(list, (applied = new RuleApplication(list).run(ruleSet.rules)));
  return applied;
}

/** A tool on its way through the rules. */
interface Draft {
  /** `undefined` for one that a rule injected. */
  readonly id: number | undefined;
  readonly declared: Omit<DeclaredTool, 'id'>;
  name: string;
  text: string;
  removed: boolean;
  /** Names that rules call it by though the upstream does not. */
  readonly aliases: string[];
}

class RuleApplication {
  private readonly drafts: Draft[];
  private readonly forward = new Map<string, string>();
  private readonly backward = new Map<string, string>();
  private readonly denied = new Map<string, string>();
  private readonly operations: Operation[] = [];

  constructor(list: ToolList) {
    this.drafts = list.tools.map((declared) => newDraft(declared, declared.id));
  }

  run(rules: readonly CompiledRule[]): AppliedRules {
    for (const rule of rules) this.apply(rule);
    const declared = this.drafts.filter((draft) => draft.id !== undefined);
    const sent = new Map(declared.map((draft) => [draft, estimateTokens(draft.declared.text)]));
    const live = this.live();
    // Another tool may have the key that a removed one had.
    for (const draft of live) this.denied.delete(draft.declared.key);
    return {
      tools: live.map((draft) => finish(draft, sent.get(draft))),
      changes: declared.map((draft) => {
        if (draft.removed) return null;
        return draft.text === draft.declared.text ? undefined : draft.text;
      }),
      forward: this.forward,
      backward: this.backward,
      denied: this.denied,
      operations: this.operations,
      sentTokens: [...sent.values()].reduce((sum, tokens) => sum + tokens, 0),
    };
  }

  private apply(rule: CompiledRule): void {
    switch (rule.kind) {
      case 'filter':
        for (const draft of this.live()) this.filter(rule, draft);
        return;
      case 'rename':
        this.rename(rule);
        return;
      case 'override':
        for (const draft of this.live()) {
          if (!isNamed(draft, rule.name) || !isEditable(draft)) continue;
          this.rewrite(rule, draft, editDefinition(draft.text, draft.declared, rule.changes));
        }
        return;
      case 'inject':
        this.inject(rule);
        return;
      case 'trim':
        for (const draft of this.live()) {
          if (!isEditable(draft)) continue;
          if (
            rule.names !== undefined &&
            !namesOf(draft).some((name) => matchesAny(rule.names ?? [], name))
          ) {
            continue;
          }
          this.rewrite(rule, draft, trimDefinition(draft.text, draft.declared, rule));
        }
        return;
      default:
        rule satisfies never;
    }
  }

  private live(): Draft[] {
    return this.drafts.filter((draft) => !draft.removed);
  }

  private record(rule: CompiledRule, tool: string, detail?: string): void {
    const operation = { operation: rule.kind, rule: rule.id, tool };
    this.operations.push(detail === undefined ? operation : { ...operation, detail });
  }

  private rewrite(rule: CompiledRule, draft: Draft, text: string): void {
    if (text === draft.text) return;
    draft.text = text;
    this.record(rule, draft.declared.key);
  }

  /** A tool with several names goes if any of them is denied; one that cannot be read stays only if all are allowed. */
  private filter(rule: Extract<CompiledRule, { kind: 'filter' }>, draft: Draft): void {
    const denied = namesOf(draft).some((name) => matchesAny(rule.deny, name));
    if (!denied && isAllowed(rule.allow, draft)) return;
    draft.removed = true;
    this.denied.set(draft.declared.key, rule.id);
    this.record(rule, draft.declared.key, denied ? 'denied' : 'not allowed');
  }

  /** The history may name a tool that is declared no more, so the map holds every rename, met or not. */
  private rename(rule: Extract<CompiledRule, { kind: 'rename' }>): void {
    const matches = this.live().filter((draft) => isNamed(draft, rule.from) && isEditable(draft));
    if (rule.scope === 'rules') {
      for (const draft of matches) draft.aliases.push(rule.to);
      return;
    }
    if (matches.length === 0) this.forward.set(rule.from, this.freeName(rule.to, undefined));
    for (const namespace of new Set(matches.map((draft) => draft.declared.namespace))) {
      const to = this.freeName(rule.to, namespace);
      for (const draft of matches.filter((match) => match.declared.namespace === namespace)) {
        this.forward.set(draft.declared.key, to);
        if (rule.mapBack) this.backward.set(qualify(namespace, to), draft.declared.name);
        draft.text = editDefinition(draft.text, draft.declared, { name: JSON.stringify(to) });
        draft.name = to;
        this.record(rule, draft.declared.key, to);
      }
    }
    if (matches.length === 0 && rule.mapBack) this.rememberUndeclared(rule.from);
  }

  private rememberUndeclared(from: string): void {
    const to = this.forward.get(from);
    if (to !== undefined && !from.includes('.')) this.backward.set(to, from);
  }

  /** A name that the app's own tools have taken is made unique, so that each call maps back to one tool. */
  private freeName(wanted: string, namespace: string | undefined): string {
    const taken = new Set(
      this.live().flatMap((draft) => (draft.declared.namespace === namespace ? [draft.name] : [])),
    );
    let name = wanted;
    for (let suffix = 2; taken.has(name); suffix += 1) {
      const end = `_${String(suffix)}`;
      name = wanted.slice(0, MAX_NAME_CHARS - end.length) + end;
    }
    return name;
  }

  private inject(rule: Extract<CompiledRule, { kind: 'inject' }>): void {
    const taken = this.live().some(
      ({ declared, name }) => declared.namespace === undefined && name === rule.name,
    );
    if (taken) {
      this.record(rule, rule.name, 'skipped: the app has a tool of that name');
      return;
    }
    const { name, text, toolKind } = rule;
    this.drafts.push(newDraft({ ...injected, kind: toolKind, key: name, name, text }, undefined));
    this.record(rule, rule.name);
  }
}

/** The longest name that the API takes for a function. */
const MAX_NAME_CHARS = 128;

const injected = {
  namespace: undefined,
  candidates: [],
  // What the operator adds is to be shown, so it is never rolled up.
  rollable: false,
  definition: { start: 0, end: 0 },
} as const;

function newDraft(declared: Omit<DeclaredTool, 'id'>, id: number | undefined): Draft {
  const { name, text } = declared;
  return { id, declared, name, text, removed: false, aliases: [] };
}

/** @param sentTokens what the tool costs as the app sent it */
function finish({ id, declared, name, text }: Draft, sentTokens: number | undefined): AppliedTool {
  const { namespace, rollable } = declared;
  const key = declared.kind === 'hosted' ? declared.key : qualify(namespace, name);
  return {
    id,
    key,
    name,
    names: [...new Set([name, key, declared.name, declared.key])],
    rollable,
    isCustom: declared.kind === 'custom',
    text,
    definitionStart: declared.definition.start,
    estimatedTokens: text === declared.text && sentTokens !== undefined ? sentTokens : estimateTokens(text),
  };
}

function qualify(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}.${name}`;
}

/** Every name that the tool goes by, alone and with its namespace. */
function namesOf({ declared, name, aliases }: Draft): readonly string[] {
  const bare = [name, ...aliases, ...declared.candidates];
  return declared.namespace === undefined
    ? bare
    : [...bare, ...bare.map((each) => qualify(declared.namespace, each))];
}

function isNamed({ declared, name, aliases }: Draft, wanted: string): boolean {
  return [name, ...aliases].some((each) => each === wanted || qualify(declared.namespace, each) === wanted);
}

/** A hosted tool is allowed by its type alone: another name that it brings is its own affair. */
function isAllowed(allow: readonly Matcher[] | undefined, { declared, name, aliases }: Draft): boolean {
  if (allow === undefined) return true;
  const fits = (each: string): boolean =>
    matchesAny(allow, each) || matchesAny(allow, qualify(declared.namespace, each));
  if (declared.kind !== 'unreadable') return [name, ...aliases].some(fits);
  return declared.candidates.length > 0 && declared.candidates.every(fits);
}

function isEditable({ declared }: Draft): boolean {
  return declared.kind === 'function' || declared.kind === 'custom';
}
