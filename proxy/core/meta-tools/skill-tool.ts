import { isJsonObject, parseJson, stringField } from '../json/index.ts';
import { findSkill } from '../skills/index.ts';
import type { Skill, SkillMap } from '../skills/index.ts';
import type { ToolDefinition } from '../turn/index.ts';
import { explainUnknownName } from './closest-names.ts';

/** What a call of the Skill tool asks for. */
export type SkillResolution =
  /** Load these skills; names of the loaded map. */
  | { readonly kind: 'load'; readonly names: readonly string[] }
  /** No skill that is known: tell the model so and ask again. */
  | { readonly kind: 'answer'; readonly text: string };

/** The tool of ours by which the model asks for skills; the app never sees it. */
export interface SkillTool {
  readonly definition: ToolDefinition;
  /** @param argumentsText the call's arguments as the model wrote them, valid JSON or not */
  resolve(argumentsText: string): SkillResolution;
}

/** Above this many names an enum is too much for constrained decoders; the description lists them anyway. */
const MAX_ENUM_NAMES = 500;

const INTRODUCTION =
  'Skills are instructions for special tasks that are not shown until you ask for them. Where one fits the request, ' +
  'call this with its name before you answer; its content is then shown to you.';

/**
 * Makes the `Skill` tool: one parameter `command` that names one skill. The description says of each what it is for.
 *
 * @param name the name it goes by, free among the turn's own tools
 * @param skills what is offered, in the order in which it is listed
 */
export function createSkillTool(name: string, skills: readonly Skill[]): SkillTool {
  const known: SkillMap = new Map(skills.map((skill) => [skill.name, skill]));
  const names = [...known.keys()];
  const command = names.length > MAX_ENUM_NAMES ? { type: 'string' } : { type: 'string', enum: names };
  return {
    definition: {
      name,
      description: [INTRODUCTION, 'The skills:', ...skills.map(listed)].join('\n'),
      parameters: JSON.stringify({
        type: 'object',
        properties: { command },
        required: ['command'],
        additionalProperties: false,
      }),
    },
    resolve: (argumentsText) => resolve(argumentsText, known),
  };
}

/** One line each, whatever the description's own lines. */
function listed({ name, description }: Skill): string {
  return `- ${name}: ${description.replaceAll(/\s+/g, ' ').trim()}`;
}

function resolve(argumentsText: string, known: SkillMap): SkillResolution {
  const wanted = readCommand(argumentsText);
  if (wanted === undefined) {
    return {
      kind: 'answer',
      text: 'The arguments could not be read. Send {"command": "…"} with the name of one skill.',
    };
  }
  const skill = findSkill(known, wanted);
  if (skill !== undefined) return { kind: 'load', names: [skill.name] };
  if (wanted.trim() === '') {
    return { kind: 'answer', text: 'No name was given. Send the name of one skill, as the list spells it.' };
  }
  const unknown = explainUnknownName('skill', wanted, known.keys());
  return {
    kind: 'answer',
    text: `${unknown}\nCall again with a name as the list spells it, or answer without a skill.`,
  };
}

/** Small models write the name alone, or under another key, so that counts too. */
function readCommand(argumentsText: string): string | undefined {
  const value = parseJson(argumentsText);
  if (typeof value === 'string') return value;
  if (isJsonObject(value)) return stringField(value, 'command') ?? stringField(value, 'name');
  const bare = argumentsText.trim();
  return value === undefined && /^[^[{"]/.test(bare) ? bare : undefined;
}
