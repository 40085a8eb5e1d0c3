import { createSkillTool } from '../../../../proxy/core/meta-tools/index.ts';
import { skillNamed } from '../skills/skills-for.ts';

const skills = ['pdf', 'français', '技能'].map((name) => skillNamed(name));
const tool = createSkillTool('Skill', skills);

describe('the Skill tool', () => {
  it('lists name and description of each skill in order, each on a line of its own', () => {
    const [pdf, ...rest] = skills;
    const { definition } = createSkillTool('Skill', [{ ...pdf!, description: 'Two\n  lines.' }, ...rest]);

    expect(definition.name).toBe('Skill');
    expect(definition.description.split('\n').slice(-4)).toEqual([
      'The skills:',
      '- pdf: Two lines.',
      '- français: For français.',
      '- 技能: For 技能.',
    ]);
    expect(JSON.parse(definition.parameters)).toEqual({
      type: 'object',
      properties: { command: { type: 'string', enum: ['pdf', 'français', '技能'] } },
      required: ['command'],
      additionalProperties: false,
    });
  });

  it('has no enum over 500 names', () => {
    const enumOf = (count: number): unknown => {
      const many = Array.from({ length: count }, (_, index) => skillNamed(`s${String(index)}`));
      return JSON.parse(createSkillTool('Skill', many).definition.parameters);
    };

    expect(enumOf(500)).toMatchObject({ properties: { command: { enum: { length: 500 } } } });
    expect(enumOf(501)).toMatchObject({ properties: { command: { type: 'string' } } });
    expect(enumOf(501)).not.toHaveProperty('properties.command.enum');
  });

  it.each([
    ['{"command":"pdf"}', 'pdf'],
    ['{"command":" pdf "}', 'pdf'],
    ['{"name":"pdf"}', 'pdf'],
    ['"pdf"', 'pdf'],
    ['pdf', 'pdf'],
    ['{"command":"franc\\u0327ais"}', 'français'],
    ['技能', '技能'],
  ])('loads what %s names', (args, name) => {
    expect(tool.resolve(args)).toEqual({ kind: 'load', names: [name] });
  });

  it.each([
    ['{"command":"pfd"}', 'There is no skill "pfd". The closest names: pdf, '],
    ['{"command":"../../etc/passwd"}', 'There is no skill "../../etc/passwd".'],
    ['{"command":"/proc/self/environ"}', 'There is no skill "/proc/self/environ".'],
    ['{"command":"__proto__"}', 'There is no skill "__proto__".'],
    ['{"__proto__":{"command":"pdf"}}', 'The arguments could not be read.'],
    ['{"command":""}', 'No name was given.'],
    ['{"command":7}', 'The arguments could not be read.'],
    ['{"command":"pdf"', 'The arguments could not be read.'],
    ['[]', 'The arguments could not be read.'],
    ['', 'The arguments could not be read.'],
  ])('answers %s with what to do (I5)', (args, text) => {
    const resolution = tool.resolve(args);

    expect(resolution.kind).toBe('answer');
    expect(resolution.kind === 'answer' && resolution.text).toContain(text);
  });
});
