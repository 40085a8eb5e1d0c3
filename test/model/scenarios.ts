/** What is asked, in no API's words. A scenario's turns follow each other as an app's would. */
import { questions, tools } from '../../benchmark/scenarios/index.ts';
import { marker } from '../../proxy/core/skills/index.ts';
import { skill } from './rule-sets.ts';
import type { RuleSetName } from './rule-sets.ts';
import type { Answer, Said, Talk } from './talk.ts';

/** One scenario. */
export interface Scenario {
  readonly title: string;
  readonly rules: RuleSetName;
  /** Asks for usage in chat streams. */
  readonly wantsUsage: boolean;
  /** The conversations, each made when the one before it has been answered. */
  readonly turns: readonly ((previous: Answer | undefined) => Talk)[];
}

const few = tools.filter(({ name }) =>
  ['get_weather_forecast', 'convert_currency', 'send_email'].includes(name),
);
const weather = { by: 'user', text: questions[0]?.question ?? '' } as const;
const money: Said = { by: 'user', text: questions[3]?.question ?? '' };

/** A call and its output, whatever the model called: the history goes over the wire either way. */
const weatherDone: Said = {
  by: 'tool',
  call: { id: 'call_weather_1', name: 'get_weather_forecast', arguments: '{"city":"Lisbon"}' },
  output: '{"sky":"sunny","high":21}',
};

/** A conversation with a call and its output. */
export const toolHistory: Talk = {
  system: 'Answer in one sentence.',
  said: [weather, weatherDone],
  tools: few,
};

const withFew = [(): Talk => ({ said: [weather], tools: few }), (): Talk => toolHistory];
const withAll = [
  (): Talk => ({ said: [money], tools }),
  (): Talk => ({ said: [weather, weatherDone, { by: 'assistant', text: 'It is sunny.' }, money], tools }),
];

/** Every scenario. */
export const scenarios: readonly Scenario[] = [
  {
    title: 'plain',
    rules: 'native',
    wantsUsage: false,
    turns: [() => ({ said: [{ by: 'user', text: 'Say hello in three languages.' }], tools: [] })],
  },
  { title: 'native tools', rules: 'native', wantsUsage: true, turns: withFew },
  { title: 'tools as text', rules: 'text', wantsUsage: false, turns: withFew },
  { title: 'two hops, 37 tools', rules: 'two-hop', wantsUsage: true, turns: withAll },
  { title: 'two hops as text', rules: 'text-two-hop', wantsUsage: false, turns: withAll },
  {
    title: 'skill, message',
    rules: 'skill-message',
    wantsUsage: false,
    turns: skillTurns('You help a team.'),
  },
  { title: 'skill as text', rules: 'text-skill', wantsUsage: false, turns: skillTurns('You help a team.') },
  {
    title: 'skill, system',
    rules: 'skill-system',
    wantsUsage: false,
    turns: skillTurns('You help a team.\n{{SKILL}}\nBe brief.'),
  },
];

/**
 * A first turn that wants the skill, and a follow-up. Where the model did not ask for the skill, the follow-up's history
 * is given the note that it had: putting it back is the wire's part.
 */
function skillTurns(system: string): Scenario['turns'] {
  const first: Said = {
    by: 'user',
    text: `Use the skill ${skill.name} first. What are the parts of our release notes, and what is the code word?`,
  };
  return [
    () => ({ system, said: [first], tools: [] }),
    (previous) => {
      const text = previous === undefined || previous.text === '' ? 'Added, Changed, Fixed.' : previous.text;
      const noted = text.includes(marker(skill.name)) ? text : `${text}\n\n${marker(skill.name)}`;
      const again: Said = { by: 'user', text: 'Say the code word again.' };
      return { system, said: [first, { by: 'assistant', text: noted }, again], tools: [] };
    },
  ];
}
