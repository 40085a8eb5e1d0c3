/** The rules and the skills of the run. A request says by a header which rule set it is for. */
import type { TextFormat } from './options.ts';

/** The header that chooses a rule set. */
export const ruleSetHeader = 'x-model-test';

/** How often a model may pick, ask for skills, or be told that a call cannot run. */
export const maxRounds = 2;

/** The rule sets, by what they do. */
export type RuleSetName =
  'native' | 'two-hop' | 'skill-message' | 'skill-system' | 'text' | 'text-two-hop' | 'text-skill';

/** Where the tools are told: in a system message of their own, or at the end of the app's. */
export type TextPlacement = 'own' | 'append';

/** The one skill. Its name is in two scripts, since both go through the wire. */
export const skill = {
  name: 'release-技能',
  description: 'How this team writes release notes. Use it for every question about release notes.',
  content: 'Release notes have three parts: Added, Changed, Fixed. The code word of this team is PELICAN.',
} as const;

/** The skill as a file. */
export const skillFile = `---\nname: ${skill.name}\ndescription: ${skill.description}\n---\n${skill.content}\n`;

/** The rule files by name. Every turn's bodies are kept, to be looked at. */
export function ruleFiles(textTools: {
  readonly format: TextFormat;
  readonly placement: TextPlacement;
}): ReadonlyMap<string, string> {
  const direct = { selection: { strategy: 'off', maxRounds } };
  const rolledUp = { selection: { strategy: 'two_hop', minTools: 2, minToolTokens: 0, maxRounds } };
  const asText = { textTools: { models: ['*'], ...textTools } };
  const specs: Readonly<Record<RuleSetName, object>> = {
    native: direct,
    'two-hop': rolledUp,
    text: { ...direct, ...asText },
    'text-two-hop': { ...rolledUp, ...asText },
    'text-skill': { ...direct, ...asText, skills: { strategy: 'message' } },
    'skill-message': { ...direct, skills: { strategy: 'message' } },
    'skill-system': { ...direct, skills: { strategy: 'system' } },
  };
  return new Map(
    Object.entries(specs).map(([name, spec]) => [
      `${name}.json`,
      JSON.stringify({
        apiVersion: 'toolroll.dev/v1alpha1',
        kind: 'RuleSet',
        metadata: { name },
        spec: { match: { headers: { [ruleSetHeader]: [name] } }, audit: { contents: true }, ...spec },
      }),
    ]),
  );
}
