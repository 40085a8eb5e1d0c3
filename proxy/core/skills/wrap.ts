import type { Skill } from './skill.ts';

/**
 * Where a skill's content goes: into a user message behind the call that asked for it, or in place of a placeholder in
 * the system text.
 */
export type SkillStrategy = 'message' | 'system';

/** Where in the system text the content goes with the strategy `system`. */
export const placeholder = '{{SKILL}}';

/** How a user message of ours begins. */
export const injectionOpening = '[SKILL_INJECTION:';

const CONTENT_OPENING = '[SKILL_CONTENT]';
const CONTENT_CLOSING = '[/SKILL_CONTENT]';

/**
 * The user message that brings skills to the model. One message for all that were asked for together: some chat
 * templates refuse two messages of one role in a row.
 */
export function wrapInjection(skills: readonly Skill[]): string {
  const wrapped = skills.map(
    ({ name, content }) => `${injectionOpening}${name}]\n${content}\n[/SKILL_INJECTION]\n`,
  );
  return `${wrapped.join('')}Answer the request above from this content.`;
}

/** What stands in the system text in place of the placeholder; nothing where no skill is in use. */
export function wrapContent(skill: Skill | undefined): string {
  return skill === undefined ? '' : `${CONTENT_OPENING}\n${skill.content}\n${CONTENT_CLOSING}`;
}

/** Puts the placeholder back where {@link wrapContent} put a skill. */
export function unwrapContent(text: string): string {
  let kept = '';
  let from = 0;
  for (let at = text.indexOf(CONTENT_OPENING); at !== -1; at = text.indexOf(CONTENT_OPENING, from)) {
    const closing = text.indexOf(CONTENT_CLOSING, at);
    if (closing === -1) break;
    kept += text.slice(from, at) + placeholder;
    from = closing + CONTENT_CLOSING.length;
  }
  return kept + text.slice(from);
}

/** What a call of the Skill tool is answered with; the content follows in a message of its own. */
export function skillResult(name: string): string {
  return `The skill ${JSON.stringify(name)} is loaded. Its content follows in the next message.`;
}
