import { createCallTool } from '../meta-tools/index.ts';
import type { MetaTool, SkillResolution } from '../meta-tools/index.ts';
import { applyRules, definitionOf, matchesAny, shorten } from '../rules/index.ts';
import type { AppliedRules, AppliedTool, CompiledRuleSet, CompiledSelection } from '../rules/index.ts';
import { stringField } from '../json/index.ts';
import type { OneHopReason, ToolChoice, ToolChoiceChange, ToolDefinition, Turn } from '../turn/index.ts';
import { decideChoice } from './tool-choice.ts';

/** Why a plan is what it is. Closed, since it is shown, counted and documented. */
export type PlanReason =
  | OneHopReason
  | 'no_rule_set'
  | 'mode_off'
  | 'selection_off'
  | 'tool_choice_none'
  | 'tool_choice_hosted'
  | 'tool_choice_unreadable'
  | 'tool_choice_named'
  | 'tool_choice_unknown'
  | 'no_tools'
  | 'few_tools'
  | 'few_tool_tokens'
  | 'rolled_up';

/** The tool by which the model loads skills in a turn. */
export interface SkillLoader {
  readonly definition: ToolDefinition;
  /**
   * @param argumentsText the call's arguments as the model wrote them, valid JSON or not
   * @param beside names of skills that are loaded along with what this call asks for
   */
  resolve(argumentsText: string, beside: readonly string[]): SkillResolution;
}

/** What a turn will do and why. */
export interface Plan {
  readonly kind: 'direct' | 'two_hop';
  readonly reasons: readonly PlanReason[];
  readonly ruleSet: CompiledRuleSet;
  readonly applied: AppliedRules;
  /** Rolled-up tools that the menu names, by key. */
  readonly menu: ReadonlyMap<string, AppliedTool>;
  /** Keys of the tools that every hop but a fallback leaves out and no menu names: `allowed_tools` excludes them. */
  readonly excluded: ReadonlySet<string>;
  /** Keys shown from the first hop on though they could be rolled up. */
  readonly revealed: ReadonlySet<string>;
  /** Only where there is something to pick from. */
  readonly metaTool: MetaTool | undefined;
  /** Only where the model may load skills. */
  readonly skillTool: SkillLoader | undefined;
  readonly toolChoice: ToolChoice;
  /** What rules made of `tool_choice`, before any hop has its say. */
  readonly choiceChange: ToolChoiceChange;
}

/**
 * Decides what a turn does under a rule set that matched it.
 *
 * @param skillTool offered where the request allows it
 * @throws ToolrollError `tool_denied` where the app forces a tool that a rule takes away
 */
export function planTurn(turn: Turn, ruleSet: CompiledRuleSet, skillTool?: SkillLoader): Plan {
  const applied = applyRules(effectiveRules(turn, ruleSet), turn.toolList);
  const choice = decideChoice(turn.toolChoice, applied, ruleSet);
  const base = {
    ruleSet,
    applied,
    toolChoice: turn.toolChoice,
    choiceChange: choice,
    skillTool: mayLoadSkills(turn, applied, skillTool) ? skillTool : undefined,
  };
  const nothing = {
    menu: new Map(),
    excluded: new Set<string>(),
    revealed: new Set<string>(),
    metaTool: undefined,
  };
  const obstacle = findObstacle(turn, ruleSet.selection);
  if (obstacle !== undefined) return { ...base, ...nothing, kind: 'direct', reasons: [obstacle] };

  const split = splitCatalogue(turn, applied, ruleSet.selection);
  const shortfall = findShortfall([...split.menu.values()], split.excluded, ruleSet.selection);
  if (shortfall !== undefined) return { ...base, ...nothing, kind: 'direct', reasons: [shortfall] };

  const named = turn.toolChoice.kind === 'named';
  return {
    ...base,
    ...split,
    kind: 'two_hop',
    reasons: named ? ['rolled_up', 'tool_choice_named'] : ['rolled_up'],
    metaTool: named
      ? undefined
      : createMenu(turn, applied, { menu: split.menu, selection: ruleSet.selection }),
  };
}

/**
 * A choice that the app has narrowed leaves no room for a tool of ours, nor does a turn that must not have a second hop.
 * An app with a tool of that name takes care of skills itself.
 */
function mayLoadSkills(turn: Turn, applied: AppliedRules, skillTool: SkillLoader | undefined): boolean {
  const { kind } = turn.toolChoice;
  if (skillTool === undefined || turn.oneHopReason !== undefined) return false;
  if (kind !== 'unset' && kind !== 'auto' && kind !== 'required') return false;
  return !takenNames(turn, applied).has(skillTool.definition.name);
}

const withoutRenames = new WeakMap<CompiledRuleSet, CompiledRuleSet>();

/** The answer of a background turn is fetched later, past us: a renamed tool could not be mapped back. */
function effectiveRules(turn: Turn, ruleSet: CompiledRuleSet): CompiledRuleSet {
  if (turn.oneHopReason !== 'background') return ruleSet;
  let reduced = withoutRenames.get(ruleSet);
  if (reduced === undefined) {
    // Rules that name the tool by its new name still have to reach it.
    const rules = ruleSet.rules.map((rule) =>
      rule.kind === 'rename' ? { ...rule, scope: 'rules' as const } : rule,
    );
    reduced = { ...ruleSet, rules };
    withoutRenames.set(ruleSet, reduced);
  }
  return reduced;
}

function findObstacle(turn: Turn, selection: CompiledSelection): PlanReason | undefined {
  if (selection.strategy === 'off') return 'selection_off';
  if (turn.oneHopReason !== undefined) return turn.oneHopReason;
  if (turn.toolList.tools.length === 0) return 'no_tools';
  switch (turn.toolChoice.kind) {
    case 'none':
      return 'tool_choice_none';
    case 'hosted':
      return 'tool_choice_hosted';
    case 'unreadable':
      return 'tool_choice_unreadable';
    case 'named':
      return isDeclared(turn, turn.toolChoice.key) ? undefined : 'tool_choice_unknown';
    case 'unset':
    case 'auto':
    case 'required':
    case 'allowed':
      return undefined;
    default:
      return turn.toolChoice satisfies never;
  }
}

/** The upstream judges a choice of what is not there, with all the tools before it that the app sent. */
function isDeclared(turn: Turn, key: string): boolean {
  return turn.toolList.tools.some((tool) => tool.key === key);
}

interface Split {
  readonly menu: ReadonlyMap<string, AppliedTool>;
  readonly excluded: ReadonlySet<string>;
  readonly revealed: ReadonlySet<string>;
}

/** Parts the catalogue into what the menu names, what is shown at once, and what the app did not allow. */
function splitCatalogue(turn: Turn, applied: AppliedRules, selection: CompiledSelection): Split {
  const menu = new Map<string, AppliedTool>();
  const excluded = new Set<string>();
  const revealed = new Set<string>();
  const { toolChoice } = turn;
  const allowed =
    toolChoice.kind === 'allowed' ? new Set(toolChoice.entries.map((entry) => entry.key)) : undefined;
  for (const tool of applied.tools) {
    if (!isInCatalogue(tool, selection)) continue;
    const appKey = tool.id === undefined ? tool.key : (turn.toolList.tools[tool.id]?.key ?? tool.key);
    if (allowed !== undefined && !allowed.has(appKey)) excluded.add(tool.key);
    else if (toolChoice.kind === 'named' && toolChoice.key === appKey) revealed.add(tool.key);
    else if (isSticky(turn, appKey, tool) || isPinned(tool, selection)) revealed.add(tool.key);
    else menu.set(tool.key, tool);
  }
  return { menu, excluded, revealed };
}

/** An app that is not given its own names back (`mapBack: false`) has the upstream's in its history. */
function isSticky(turn: Turn, appKey: string, tool: AppliedTool): boolean {
  return turn.calledKeys.has(appKey) || turn.calledKeys.has(tool.key);
}

function isInCatalogue(tool: AppliedTool, selection: CompiledSelection): boolean {
  if (!tool.rollable) return false;
  const { names } = tool;
  if (selection.known !== undefined && !names.some((name) => selection.known?.has(name))) return false;
  return (
    names.some((name) => matchesAny(selection.include, name)) &&
    !names.some((name) => matchesAny(selection.exclude, name))
  );
}

function isPinned(tool: AppliedTool, selection: CompiledSelection): boolean {
  return tool.names.some((name) => matchesAny(selection.pinned, name));
}

function findShortfall(
  menu: readonly AppliedTool[],
  excluded: ReadonlySet<string>,
  selection: CompiledSelection,
): PlanReason | undefined {
  if (menu.length === 0 || menu.length + excluded.size < selection.minTools) return 'few_tools';
  const tokens = menu.reduce((sum, tool) => sum + tool.estimatedTokens, 0);
  return tokens < selection.minToolTokens ? 'few_tool_tokens' : undefined;
}

function createMenu(
  turn: Turn,
  applied: AppliedRules,
  { menu, selection }: { readonly menu: Split['menu']; readonly selection: CompiledSelection },
): MetaTool {
  const limit = selection.summaryLimitChars;
  const entries = [...menu.values()].map((tool) => ({
    key: tool.key,
    summary: limit === 0 ? '' : shorten(descriptionOf(tool), limit),
  }));
  return createCallTool(freeMetaName(turn, applied), entries);
}

function descriptionOf(tool: AppliedTool): string {
  const definition = definitionOf(tool);
  const description = definition === undefined ? undefined : stringField(definition, 'description');
  return (description ?? '').replace(/\s+/g, ' ').trim();
}

/** `call_tool`, or the first free `call_tool_2`, … where the app has, or has called, a tool of that name. */
function freeMetaName(turn: Turn, applied: AppliedRules): string {
  const taken = new Set([...takenNames(turn, applied), ...turn.calledKeys]);
  let name = 'call_tool';
  for (let suffix = 2; taken.has(name); suffix += 1) name = `call_tool_${String(suffix)}`;
  return name;
}

function takenNames(turn: Turn, applied: AppliedRules): ReadonlySet<string> {
  return new Set([
    ...applied.tools.flatMap((tool) => [tool.name, tool.key]),
    ...turn.toolList.tools.flatMap((tool) => tool.candidates),
    ...applied.backward.values(),
  ]);
}

/** True if a turn under this plan is the app's own request, byte for byte. */
export function changesNothing(turn: Turn, plan: Plan): boolean {
  const { applied } = plan;
  return (
    plan.kind === 'direct' &&
    plan.skillTool === undefined &&
    !turn.hasDuplicateKeys &&
    plan.choiceChange.kind === 'keep' &&
    applied.changes.every((change) => change === undefined) &&
    applied.tools.every((tool) => tool.id !== undefined) &&
    ![...applied.forward.keys()].some((key) => turn.calledKeys.has(key))
  );
}
