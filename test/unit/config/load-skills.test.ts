import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { loadDirectory } from '../../../proxy/config/index.ts';
import type { LoadedDirectory } from '../../../proxy/config/index.ts';
import { findSkill } from '../../../proxy/core/skills/index.ts';
import { ConfigMapVolume, ruleSet, temporaryDirectory } from './rules-directory.ts';
import type { Files } from './rules-directory.ts';
import { skillText, writeFiles } from './skill-files.ts';

let directory: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ path: directory, remove } = await temporaryDirectory());
});
afterEach(() => remove());

const skillsDirectory = (): string => path.join(directory, 'skills');

async function load(files: Files, skillMaxTokens = 10_000): Promise<LoadedDirectory> {
  await writeFiles(skillsDirectory(), files);
  return loadDirectory(directory, { skillMaxTokens });
}

/** What is wrong, as `severity file:line message`. */
const told = ({ skillFaults }: LoadedDirectory): string[] =>
  skillFaults.map(({ severity, file, line, message }) => `${severity} ${file}:${String(line)} ${message}`);
const names = ({ skills }: LoadedDirectory): string[] => [...skills.keys()];

describe('skills', () => {
  test('are the files *.md and */SKILL.md under skills/, in the order of their paths', async () => {
    const loaded = await load({
      'b.md': skillText('two'),
      'a/SKILL.md': skillText('one'),
      'a/notes.md': 'not a skill',
      'assets/logo.txt': 'not a skill',
      '.hidden.md': 'not a skill',
      'c.txt': 'not a skill',
    });

    expect(loaded.skillFaults).toEqual([]);
    expect([...loaded.skills.values()]).toEqual([
      {
        name: 'one',
        description: 'For one.',
        content: 'How to one.',
        tokens: expect.any(Number) as number,
        source: 'skills/a/SKILL.md',
      },
      expect.objectContaining({ name: 'two', source: 'skills/b.md' }),
    ]);
    expect(loaded.skills.get('one')?.tokens).toBeGreaterThan(2);
  });

  test('are read with a byte order mark, CRLF and blanks behind the dashes (I1)', async () => {
    const loaded = await load({ 'a.md': '\uFEFF--- \r\nname: a\r\ndescription: d\r\n--- \r\nBody\r\nmore' });

    expect(loaded.skillFaults).toEqual([]);
    expect(loaded.skills.get('a')).toMatchObject({ name: 'a', description: 'd', content: 'Body\nmore' });
  });

  test('keep lines of dashes in their content and may carry other fields', async () => {
    const text =
      '---\nname: a\ndescription: >\n  two\n  lines\nlicense: MIT\nmetadata: { x: 1 }\n---\nA\n\n---\n\nB';
    const loaded = await load({ 'a.md': text });

    expect(loaded.skills.get('a')).toMatchObject({ description: 'two lines', content: 'A\n\n---\n\nB' });
  });

  test('each with a fault are named with file and line, and the others load', async () => {
    const loaded = await load({
      'bare.md': 'Just text.\n',
      'content.md': '---\nname: a\ndescription: d\n---\n\n',
      'empty.md': '',
      'latin.md': Buffer.from('---\nname: caf\xe9\n', 'latin1'),
      'missing.md': '---\nname: a\n---\nBody',
      'nothing.md': '---\n---\nBody',
      'number.md': '---\ndescription: d\nname: 7\n---\nBody',
      'open.md': '---\nname: a\ndescription: d\n',
      'syntax.md': '---\nname: a\ndescription: [\n---\nBody',
      'unsafe.md': '---\nname: a\n__proto__: b\ndescription: d\n---\nBody',
      'worded.md': '---\nname: a-->b\ndescription: d\n---\nBody',
      'good.md': skillText('good'),
    });

    expect(names(loaded)).toEqual(['good']);
    const begin =
      "a skill must begin with a line '---', then YAML with name and description, then a line '---'";
    expect(told(loaded).map((line) => line.replace(/YAML: .*/, 'YAML: …'))).toEqual([
      `error skills/bare.md:1 ${begin}`,
      'error skills/content.md:5 the skill has no content',
      'error skills/empty.md:1 the file is empty',
      'error skills/latin.md:1 the file is not valid UTF-8',
      "error skills/missing.md:2 the front matter needs 'description'",
      "error skills/nothing.md:1 the front matter needs 'name'",
      "error skills/nothing.md:1 the front matter needs 'description'",
      'error skills/number.md:3 name must be text: put it in quotes',
      "error skills/open.md:1 the front matter has no end: a line '---' is missing",
      'error skills/syntax.md:4 YAML: …',
      "error skills/unsafe.md:3 the key '__proto__' is refused, it is not safe",
      "error skills/worded.md:2 name must not hold '<!--' or '-->', which begin and end a comment",
    ]);
  });

  test.each(['---js', '--- js', '---json', '---coffee'])(
    'with the front matter %s are refused, and nothing is evaluated (I5)',
    async (opening) => {
      const code = '{ name: (globalThis.evaluated = true, "a"), description: "d" }';
      const loaded = await load({ 'a.md': `${opening}\n${code}\n---\nBody`, 'b.md': skillText('b') });

      expect(names(loaded)).toEqual(['b']);
      expect(told(loaded)).toEqual([
        expect.stringContaining(
          `the front matter begins with '${opening}': only YAML is read, and nothing is evaluated`,
        ),
      ]);
      expect(globalThis).not.toHaveProperty('evaluated');
    },
  );

  test('that are too long are refused with their size, never cut', async () => {
    const loaded = await load({ 'a.md': skillText('a', 'word '.repeat(500)), 'b.md': skillText('b') }, 400);

    expect(names(loaded)).toEqual(['b']);
    expect(told(loaded)).toEqual([
      expect.stringMatching(/^error skills\/a\.md:5 the skill has about \d{3} tokens, and 400 are allowed/),
    ]);
  });

  test('that are larger than any file may be are refused', async () => {
    const loaded = await load({ 'a.md': skillText('a', 'x'.repeat(1024 * 1024)) });

    expect(told(loaded)).toEqual(['error skills/a.md:1 the file is larger than 1048576 bytes']);
  });

  test('of one name are decided by the order of paths, with a warning (I4)', async () => {
    const files = { 'b.md': skillText('deploy', 'late'), 'a.md': skillText('deploy', 'early') };
    const loaded = await load(files);

    expect(loaded.skills.get('deploy')).toMatchObject({ content: 'early', source: 'skills/a.md' });
    expect(told(loaded)).toEqual([
      "warning skills/b.md:1 the name 'deploy' is taken by skills/a.md, which comes first: this one is not used",
    ]);
  });

  test('are named in any script, compared in one normal form (I4)', async () => {
    const loaded = await load({
      'a.md': skillText('français'.normalize('NFD')),
      'b.md': skillText('技能'),
      'c.md': skillText('français'.normalize('NFC')),
    });

    expect(names(loaded)).toEqual(['français'.normalize('NFC'), '技能']);
    expect(findSkill(loaded.skills, 'français'.normalize('NFD'))?.source).toBe('skills/a.md');
    expect(loaded.skillFaults).toMatchObject([{ severity: 'warning', file: 'skills/c.md' }]);
  });

  test('of a ConfigMap volume, where every entry is a link, are listed once; a dangling link and a loop are warnings (I3)', async () => {
    const volume = new ConfigMapVolume(skillsDirectory());
    await volume.swap({ 'a.md': skillText('a'), 'b.md': skillText('b') });
    await symlink('nowhere.md', path.join(skillsDirectory(), 'dangling.md'));
    await symlink('loop.md', path.join(skillsDirectory(), 'loop.md'));
    await symlink('loop', path.join(skillsDirectory(), 'loop'));
    const loaded = await loadDirectory(directory);

    expect(names(loaded)).toEqual(['a', 'b']);
    expect(told(loaded)).toEqual([
      'warning skills/dangling.md:1 this link leads nowhere',
      'warning skills/loop/SKILL.md:1 this link leads in a circle',
      'warning skills/loop.md:1 this link leads in a circle',
    ]);
  });

  test('are found through links in a plain directory, to files and to directories', async () => {
    const elsewhere = path.join(directory, 'elsewhere');
    await writeFiles(elsewhere, { 'one.md': skillText('one'), 'two/SKILL.md': skillText('two') });
    await mkdir(path.join(skillsDirectory(), 'broken'), { recursive: true });
    await symlink(path.join(elsewhere, 'one.md'), path.join(skillsDirectory(), '1.md'));
    await symlink(path.join(elsewhere, 'two'), path.join(skillsDirectory(), '2'));
    await symlink(path.join(elsewhere, 'gone'), path.join(skillsDirectory(), '3'));
    await symlink(path.join(elsewhere, 'gone.md'), path.join(skillsDirectory(), 'broken', 'SKILL.md'));
    await symlink('.', path.join(skillsDirectory(), 'self'));
    const loaded = await loadDirectory(directory);

    expect(names(loaded)).toEqual(['one', 'two']);
    expect(told(loaded)).toEqual([
      'warning skills/3/SKILL.md:1 this link leads nowhere',
      'warning skills/broken/SKILL.md:1 this link leads nowhere',
    ]);
  });

  test('stand in a directory of their own where one is named, under the same names and revision', async () => {
    const inside = await load({ 'a.md': skillText('a') });
    const own = path.join(directory, 'own');
    await writeFiles(own, { 'a.md': skillText('a') });
    await rm(skillsDirectory(), { recursive: true });
    const outside = await loadDirectory(directory, { skillsDirectory: own });

    expect(outside.revision).toBe(inside.revision);
    expect([...outside.skills.values()]).toEqual([...inside.skills.values()]);
    expect(told(await loadDirectory(directory, { skillsDirectory: path.join(directory, 'gone') }))).toEqual([
      'warning skills:1 the directory of skills does not exist',
    ]);
  });

  test('are part of the revision, and rules without any keep theirs', async () => {
    await writeFile(path.join(directory, 'a.yaml'), ruleSet('one'));
    const without = await loadDirectory(directory);
    const one = await load({ 'a.md': skillText('a') });
    const other = await load({ 'a.md': skillText('a', 'Otherwise.') });
    await rm(skillsDirectory(), { recursive: true });

    expect(new Set([without.revision, one.revision, other.revision]).size).toBe(3);
    expect((await loadDirectory(directory)).revision).toBe(without.revision);
    expect(one.ruleSets).toHaveLength(1);
  });
});
