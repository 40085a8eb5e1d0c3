import type { ElementChange } from '../json/index.ts';
import type { Plan } from '../plan/index.ts';
import { renameEntry } from '../plan/index.ts';
import type { AddedTool, AllowedChange, RequestChanges, ToolChoiceChange, Turn } from '../turn/index.ts';
import type { Hop } from './hop.ts';

/** What a hop changes in the app's request. Deterministic: the same request and rules give the same bytes. */
export function hopChanges(turn: Turn, plan: Plan, hop: Hop): RequestChanges {
  const hidden = hiddenIds(plan, hop);
  const tools = plan.applied.changes.map((change, id): ElementChange => (hidden.has(id) ? null : change));
  const menuShown = showsMenu(plan, hop);
  return {
    tools,
    added: addedTools(plan, hop, hidden),
    toolChoice: hopChoice(turn, plan, hop, menuShown),
    historyNames: plan.applied.forward,
    carried: hop.carried,
    reasoning: reasoningOf(plan, hop),
    encryptedReasoning: menuShown && turn.needsEncryptedReasoning ? 'add' : 'as_sent',
  };
}

/** True if the hop's request names the rolled-up tools in a menu. */
export function showsMenu(plan: Plan, hop: Hop): boolean {
  return plan.metaTool !== undefined && hop.tools === 'menu';
}

function reasoningOf(plan: Plan, hop: Hop): RequestChanges['reasoning'] {
  const { selection, skills, reasoningSwitch } = plan.ruleSet;
  const onReveal = isReveal(plan, hop) ? selection.reasoningOnReveal : 'keep';
  const onSkill = hop.skills.length > 0 ? skills?.reasoningOnSkill : 'keep';
  return onReveal === 'off' || onSkill === 'off' ? reasoningSwitch : 'keep';
}

function isReveal(plan: Plan, hop: Hop): boolean {
  return plan.metaTool !== undefined && hop.tools === 'revealed';
}

/** Ids of the declared tools that this hop leaves out, in the app's order. */
function hiddenIds(plan: Plan, hop: Hop): ReadonlySet<number> {
  const ids = new Set<number>();
  if (hop.tools === 'all') return ids;
  for (const { id, key } of plan.applied.tools) {
    if (id === undefined) continue;
    if (plan.excluded.has(key) || (plan.menu.has(key) && !hop.revealed.has(key))) ids.add(id);
  }
  return ids;
}

function addedTools(plan: Plan, hop: Hop, hidden: ReadonlySet<number>): AddedTool[] {
  const injected = plan.applied.tools
    .filter((tool) => tool.id === undefined)
    .map((tool): AddedTool => ({ kind: 'declaration', text: tool.text }));
  const skills = skillDefinition(plan, hop);
  if (plan.metaTool === undefined || hop.tools !== 'menu') return [...injected, ...skills];
  // Ids are in the app's order.
  const [before] = hidden;
  return [{ kind: 'definition', definition: plan.metaTool.definition, before }, ...injected, ...skills];
}

function skillDefinition({ skillTool }: Plan, hop: Hop): AddedTool[] {
  if (skillTool === undefined || hop.skillTool === 'withdrawn') return [];
  return [{ kind: 'definition', definition: skillTool.definition, before: undefined }];
}

/** `allowed_tools` must list what may be called in this hop: a reference to a tool that is not sent is refused. */
function hopChoice(turn: Turn, plan: Plan, hop: Hop, menuShown: boolean): ToolChoiceChange {
  const { toolChoice } = turn;
  if (toolChoice.kind !== 'allowed' || plan.choiceChange.kind === 'none') return plan.choiceChange;
  if (plan.kind === 'direct' || hop.tools === 'all') return plan.choiceChange;
  const hiddenKeys = new Set(
    plan.applied.tools.flatMap((tool) => {
      const hidden = plan.menu.has(tool.key) && !hop.revealed.has(tool.key);
      const appKey = tool.id === undefined ? undefined : turn.toolList.tools[tool.id]?.key;
      return hidden && appKey !== undefined ? [appKey] : [];
    }),
  );
  const entries: AllowedChange[] = toolChoice.entries
    .filter((entry) => !hiddenKeys.has(entry.key) && !plan.applied.denied.has(entry.key))
    .map((entry) => renameEntry(entry, plan.applied));
  if (menuShown && plan.metaTool !== undefined) {
    entries.push({ kind: 'function', name: plan.metaTool.definition.name });
  }
  return { kind: 'allowed', entries };
}
