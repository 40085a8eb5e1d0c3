import type {
  Rule,
  RuleSet,
  Selection,
  SkillSettings,
  TextTools,
} from '../../../schemas/generated/ruleset.ts';
import type { JsonObject } from '../json/index.ts';
import type { ReasoningSwitch } from '../turn/index.ts';
import { compilePattern } from './pattern.ts';
import type { Matcher } from './pattern.ts';

/** A fault of a rule set that its schema cannot express. */
export interface CompileFault {
  /** JSON pointer into the rule set's document. */
  readonly pointer: string;
  readonly message: string;
}

/** One rule, its patterns compiled. `id` names it in metrics and audit records. */
export type CompiledRule =
  | {
      readonly kind: 'filter';
      readonly id: string;
      readonly allow: readonly Matcher[] | undefined;
      readonly deny: readonly Matcher[];
    }
  | {
      readonly kind: 'rename';
      readonly id: string;
      readonly from: string;
      readonly to: string;
      readonly mapBack: boolean;
      /** `rules`: only the rules after it know the new name; the tool goes upstream under its own. */
      readonly scope: 'turn' | 'rules';
    }
  | {
      readonly kind: 'override';
      readonly id: string;
      readonly name: string;
      readonly changes: DefinitionChanges;
    }
  | {
      readonly kind: 'inject';
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly toolKind: 'function' | 'custom' | 'hosted';
    }
  | {
      readonly kind: 'trim';
      readonly id: string;
      readonly names: readonly Matcher[] | undefined;
      readonly descriptionChars: number | undefined;
      readonly parameterDescriptionChars: number | undefined;
    };

/** New values of a definition's members, as JSON text. */
export type DefinitionChanges = Readonly<Record<string, string>>;

/** How tools are rolled up, with every default filled in. */
export interface CompiledSelection {
  readonly strategy: 'off' | 'two_hop';
  readonly include: readonly Matcher[];
  readonly exclude: readonly Matcher[];
  /** The names a catalogue file lists, where one is given. */
  readonly known: ReadonlySet<string> | undefined;
  readonly pinned: readonly Matcher[];
  readonly minTools: number;
  readonly minToolTokens: number;
  readonly maxRounds: number;
  readonly onExhausted: 'direct' | 'error';
  readonly summaryLimitChars: number;
  readonly acceptUnseenCalls: boolean;
  readonly reasoningOnReveal: 'keep' | 'off';
  readonly usage: 'sum' | 'final';
  readonly carry: 'clean' | 'picks';
}

/** Tools as text, for the models that match. */
export interface CompiledTextTools {
  readonly models: readonly Matcher[];
  readonly format: 'xml' | 'json' | 'any';
  readonly placement: 'own' | 'append';
}

/** How skills are offered, with every default filled in. */
export interface CompiledSkillSettings {
  readonly tool: boolean;
  readonly strategy: 'message' | 'system';
  /** `undefined`: every skill that is loaded. */
  readonly names: readonly Matcher[] | undefined;
  readonly reasoningOnSkill: 'keep' | 'off';
  readonly maxTokensPerTurn: number;
}

/** A rule set, compiled once per revision. */
export interface CompiledRuleSet {
  readonly name: string;
  readonly mode: 'off' | 'enforce';
  readonly models: readonly Matcher[] | undefined;
  /** Model names that are written out in full, for the `model` label of metrics. */
  readonly modelNames: readonly string[];
  readonly endpoints: readonly string[] | undefined;
  readonly headers: ReadonlyMap<string, readonly Matcher[]>;
  readonly rules: readonly CompiledRule[];
  readonly selection: CompiledSelection;
  readonly textTools: CompiledTextTools | undefined;
  readonly skills: CompiledSkillSettings | undefined;
  readonly reasoningSwitch: ReasoningSwitch;
  readonly auditContents: boolean;
}

/** What tools cost at the least before rolling them up can pay where the prompt cache is not known (selection.md §7). */
const MIN_TOOL_TOKENS_UNKNOWN_CACHE = 3000;
/** Two or three long skills; more would crowd out the conversation. */
const DEFAULT_SKILL_TOKENS = 20_000;

/**
 * Compiles a rule set that its schema has accepted.
 *
 * @param document the rule set
 * @param context `catalogueNames`: what the file named by `selection.catalogue.file` lists
 * @returns the compiled rule set and its faults; with faults it must not be used
 */
export function compileRuleSet(
  document: RuleSet,
  context: { readonly catalogueNames?: readonly string[] } = {},
): { readonly ruleSet: CompiledRuleSet; readonly faults: readonly CompileFault[] } {
  const patterns = new PatternCompiler();
  const { spec } = document;
  const match = spec.match ?? {};
  const headers = Object.entries(match.headers ?? {}).map(([name, list]): [string, readonly Matcher[]] => [
    name.toLowerCase(),
    patterns.list(list, `/spec/match/headers/${escapePointer(name)}`),
  ]);
  const rules = (spec.tools ?? []).map((rule, index) => compileRule(rule, index, patterns));
  const ruleSet: CompiledRuleSet = {
    name: document.metadata.name,
    mode: spec.mode ?? 'enforce',
    models: match.models && patterns.list(match.models, '/spec/match/models'),
    modelNames: (match.models ?? []).filter((model) => !/^\/.*\/$|\*/.test(model)),
    endpoints: match.endpoints,
    headers: new Map(headers),
    rules,
    selection: compileSelection(spec.selection ?? {}, context.catalogueNames, patterns),
    textTools: spec.textTools && compileTextTools(spec.textTools, patterns),
    skills: spec.skills && compileSkills(spec.skills, patterns),
    reasoningSwitch: spec.upstream?.reasoningSwitch ?? 'effort',
    auditContents: spec.audit?.contents ?? false,
  };
  return { ruleSet, faults: [...patterns.faults, ...findClashes(rules)] };
}

class PatternCompiler {
  readonly faults: CompileFault[] = [];

  list(patterns: readonly string[], pointer: string): readonly Matcher[] {
    return patterns.flatMap((pattern, index) => {
      try {
        return [compilePattern(pattern)];
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        this.faults.push({ pointer: `${pointer}/${String(index)}`, message });
        return [];
      }
    });
  }
}

function compileRule(rule: Rule, index: number, patterns: PatternCompiler): CompiledRule {
  const at = `/spec/tools/${String(index)}`;
  const id = (kind: string): string => rule.id ?? `${kind}-${String(index)}`;
  if ('filter' in rule) {
    const { allow, deny } = rule.filter;
    return {
      kind: 'filter',
      id: id('filter'),
      allow: allow && patterns.list(allow, `${at}/filter/allow`),
      deny: patterns.list(deny ?? [], `${at}/filter/deny`),
    };
  }
  if ('rename' in rule) {
    const { from, to, mapBack } = rule.rename;
    return { kind: 'rename', id: id('rename'), from, to, mapBack: mapBack ?? true, scope: 'turn' };
  }
  if ('override' in rule) {
    const { name, ...changes } = rule.override;
    const texts = Object.entries(changes).map(([key, value]): [string, string] => [
      key,
      JSON.stringify(value),
    ]);
    return { kind: 'override', id: id('override'), name, changes: Object.fromEntries(texts) };
  }
  if ('inject' in rule) {
    const { tool } = rule.inject;
    const toolKind = tool.type === 'function' || tool.type === 'custom' ? tool.type : 'hosted';
    return {
      kind: 'inject',
      id: id('inject'),
      name: injectedName(tool),
      text: JSON.stringify(tool),
      toolKind,
    };
  }
  const { names, descriptionChars, parameterDescriptionChars } = rule.trim;
  return {
    kind: 'trim',
    id: id('trim'),
    names: names && patterns.list(names, `${at}/trim/names`),
    descriptionChars,
    parameterDescriptionChars,
  };
}

function injectedName(tool: JsonObject): string {
  return typeof tool['name'] === 'string' ? tool['name'] : String(tool['type']);
}

function compileTextTools(textTools: TextTools, patterns: PatternCompiler): CompiledTextTools {
  return {
    models: patterns.list(textTools.models, '/spec/textTools/models'),
    format: textTools.format ?? 'xml',
    placement: textTools.placement ?? 'own',
  };
}

function compileSkills(skills: SkillSettings, patterns: PatternCompiler): CompiledSkillSettings {
  return {
    tool: skills.tool ?? true,
    strategy: skills.strategy ?? 'message',
    names: skills.names && patterns.list(skills.names, '/spec/skills/names'),
    reasoningOnSkill: skills.reasoningOnSkill ?? 'keep',
    maxTokensPerTurn: skills.maxTokensPerTurn ?? DEFAULT_SKILL_TOKENS,
  };
}

function compileSelection(
  selection: Selection,
  catalogueNames: readonly string[] | undefined,
  patterns: PatternCompiler,
): CompiledSelection {
  const at = '/spec/selection';
  const minToolTokens = selection.minToolTokens ?? 'auto';
  return {
    strategy: selection.strategy ?? 'off',
    include: patterns.list(selection.catalogue?.include ?? ['*'], `${at}/catalogue/include`),
    exclude: patterns.list(selection.catalogue?.exclude ?? [], `${at}/catalogue/exclude`),
    known: catalogueNames && new Set(catalogueNames),
    pinned: patterns.list(selection.pinned ?? [], `${at}/pinned`),
    minTools: selection.minTools ?? 4,
    minToolTokens: minToolTokens === 'auto' ? MIN_TOOL_TOKENS_UNKNOWN_CACHE : minToolTokens,
    maxRounds: selection.maxRounds ?? 3,
    onExhausted:
      selection.onExhausted === undefined || selection.onExhausted === 'direct' ? 'direct' : 'error',
    summaryLimitChars: selection.summaryLimitChars ?? 0,
    acceptUnseenCalls: selection.acceptUnseenCalls ?? false,
    reasoningOnReveal: selection.reasoningOnReveal ?? 'keep',
    usage: selection.usage ?? 'sum',
    carry: selection.carry ?? 'clean',
  };
}

/** Two rules that would give one name to two tools, or two names to one tool, cannot be mapped back. */
function findClashes(rules: readonly CompiledRule[]): CompileFault[] {
  const faults: CompileFault[] = [];
  const sources = new Map<string, number>();
  const targets = new Map<string, number>();
  const ids = new Set<string>();
  const claim = (owners: Map<string, number>, name: string, index: number, field: string): void => {
    const owner = owners.get(name);
    owners.set(name, owner ?? index);
    if (owner === undefined) return;
    faults.push({
      pointer: `/spec/tools/${String(index)}/${field}`,
      message: `'${name}' is already taken by /spec/tools/${String(owner)}`,
    });
  };
  rules.forEach((rule, index) => {
    if (rule.kind === 'rename') {
      claim(sources, rule.from, index, 'rename/from');
      claim(targets, qualifyLike(rule.from, rule.to), index, 'rename/to');
    } else if (rule.kind === 'inject') claim(targets, rule.name, index, 'inject/tool/name');
    if (ids.has(rule.id)) {
      const pointer = `/spec/tools/${String(index)}/id`;
      faults.push({ pointer, message: `rule id '${rule.id}' is used twice` });
    }
    ids.add(rule.id);
  });
  return faults;
}

/** `ns.old` renamed to `new` is `ns.new`: names clash within a namespace only. */
function qualifyLike(from: string, to: string): string {
  const dot = from.lastIndexOf('.');
  return dot === -1 ? to : `${from.slice(0, dot)}.${to}`;
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
