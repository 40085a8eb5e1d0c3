import {
  findSkill,
  fitSkills,
  overBudgetAnswer,
  skillNameProblem,
} from '../../../../proxy/core/skills/index.ts';
import { skillNamed, skillsNamed } from './skills-for.ts';

describe('looking a skill up', () => {
  const skills = skillsNamed('deploy', 'français', '技能');

  it('compares names in one normal form (I4)', () => {
    expect(findSkill(skills, 'franc\u0327ais')?.name).toBe('français');
    expect(findSkill(skills, ' 技能\n')?.name).toBe('技能');
  });

  it.each([
    '../../etc/passwd',
    '/proc/self/environ',
    '__proto__',
    'constructor',
    '',
    'size',
    'x'.repeat(1_000_000),
  ])('finds nothing under %.40j, since only the loaded map is looked at (I5)', (name) => {
    expect(findSkill(skills, name)).toBeUndefined();
  });
});

describe('the name of a skill', () => {
  it.each(['deploy', 'français', '技能', 'a b', 'x--'])('may be %j', (name) => {
    expect(skillNameProblem(name)).toBeUndefined();
  });

  it.each(['', 'a-->b', 'a\nb', 'a\u2028b', 'a\u0000', 'x'.repeat(101)])('must not be %.20j', (name) => {
    expect(skillNameProblem(name)).toMatch(/^must /);
  });
});

describe('the budget of a turn', () => {
  const sized = (name: string, tokens: number): ReturnType<typeof skillNamed> => ({
    ...skillNamed(name),
    tokens,
  });
  const [a, b, c] = [sized('a', 600), sized('b', 500), sized('c', 300)];

  it('takes skills whole, in order, as long as they fit', () => {
    expect(fitSkills({ requested: [a, b, c], active: [], maxTokensPerTurn: 1000 })).toEqual({
      fits: [a, c],
      over: [b],
    });
  });

  it('counts what is in use already, once', () => {
    expect(fitSkills({ requested: [a, b, c], active: [a, a], maxTokensPerTurn: 1000 })).toEqual({
      fits: [a, c],
      over: [b],
    });
  });

  it('lets a skill be asked for again that is in use, even over the budget', () => {
    expect(fitSkills({ requested: [a], active: [a], maxTokensPerTurn: 100 }).fits).toEqual([a]);
  });

  it('is told to the model where a skill is over it', () => {
    expect(overBudgetAnswer(a, 500)).toContain('"a" was not loaded: with its 600 tokens');
  });
});
