import { ToolrollError } from '../errors.ts';
import type { AppliedRules, CompiledRuleSet } from '../rules/index.ts';
import type { AllowedChange, AllowedEntry, ToolChoice, ToolChoiceChange } from '../turn/index.ts';

/**
 * What rules make of the app's `tool_choice`: renamed names, and nothing that points at a tool they took away.
 *
 * @throws ToolrollError `tool_denied` where the choice forces a tool that a rule denies: to send `auto` instead would
 *   answer another question than the app asked
 */
export function decideChoice(
  choice: ToolChoice,
  applied: AppliedRules,
  ruleSet: CompiledRuleSet,
): ToolChoiceChange {
  switch (choice.kind) {
    case 'unset':
    case 'auto':
    case 'none':
    case 'required':
    case 'unreadable':
      return { kind: 'keep' };
    case 'named': {
      refuseDenied(choice.key, applied, ruleSet);
      const name = applied.forward.get(choice.key);
      return name === undefined ? { kind: 'keep' } : { kind: 'named', name };
    }
    case 'hosted':
      refuseDenied(choice.type, applied, ruleSet);
      return { kind: 'keep' };
    case 'allowed':
      return decideAllowed(choice, applied, ruleSet);
    default:
      return choice satisfies never;
  }
}

function decideAllowed(
  choice: Extract<ToolChoice, { kind: 'allowed' }>,
  applied: AppliedRules,
  ruleSet: CompiledRuleSet,
): ToolChoiceChange {
  const left = choice.entries.filter((entry) => !applied.denied.has(entry.key));
  const first = choice.entries[0];
  if (left.length === 0 && first !== undefined) {
    if (choice.mode === 'required') refuseDenied(first.key, applied, ruleSet);
    // The app allowed only what is gone now. `auto` would allow everything else.
    return { kind: 'none' };
  }
  const untouched =
    left.length === choice.entries.length && !left.some(({ key }) => applied.forward.has(key));
  return untouched
    ? { kind: 'keep' }
    : { kind: 'allowed', entries: left.map((entry) => renameEntry(entry, applied)) };
}

/** An entry of `allowed_tools` as the upstream knows the tool. */
export function renameEntry(entry: AllowedEntry, applied: AppliedRules): AllowedChange {
  const name = applied.forward.get(entry.key);
  return name === undefined
    ? { kind: 'text', text: entry.text }
    : { kind: 'renamed', text: entry.text, name };
}

function refuseDenied(key: string, applied: AppliedRules, ruleSet: CompiledRuleSet): void {
  const rule = applied.denied.get(key);
  if (rule === undefined) return;
  throw new ToolrollError(
    'tool_denied',
    { tool: key, rule, ruleSet: ruleSet.name },
    { param: 'tool_choice' },
  );
}
