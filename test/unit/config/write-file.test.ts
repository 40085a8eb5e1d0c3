import { chmod, mkdir, readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { loadDirectory, writeRuleFile } from '../../../proxy/config/index.ts';
import { ConfigMapVolume, ruleSet, temporaryDirectory } from './rules-directory.ts';

let directory: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ path: directory, remove } = await temporaryDirectory());
});
afterEach(() => remove());

describe('writing a rule file', () => {
  test('makes the file, replaces it, and leaves nothing else behind', async () => {
    expect(await writeRuleFile(directory, 'a.yaml', ruleSet('one'))).toEqual({ kind: 'written' });
    expect(await writeRuleFile(directory, 'a.yaml', Buffer.from(ruleSet('two')))).toEqual({
      kind: 'written',
    });
    expect(await readFile(path.join(directory, 'a.yaml'), 'utf8')).toBe(ruleSet('two'));
    expect(await readdir(directory)).toEqual(['a.yaml']);
    expect((await loadDirectory(directory)).ruleSets.map(({ name }) => name)).toEqual(['two']);
  });

  test('makes the directory where there is none', async () => {
    const deep = path.join(directory, 'not', 'there');
    expect(await writeRuleFile(deep, 'a.json', '{}')).toEqual({ kind: 'written' });
    expect(await readdir(deep)).toEqual(['a.json']);
  });

  test.each([
    '../a.yaml',
    'a/b.yaml',
    '..a.yaml',
    'a.txt',
    '.yaml/',
    '',
    'a b.yaml',
    'a\0.yaml',
    `${'x'.repeat(200)}.yaml`,
  ])('refuses the name %j', async (name) => {
    expect((await writeRuleFile(directory, name, 'x')).kind).toBe('bad_name');
    expect(await readdir(directory)).toEqual([]);
  });

  test('refuses a ConfigMap volume, which only the cluster may write', async () => {
    await new ConfigMapVolume(directory).swap({ 'a.yaml': ruleSet('one') });
    const outcome = await writeRuleFile(directory, 'a.yaml', ruleSet('two'));
    expect(outcome).toEqual({
      kind: 'read_only',
      reason: 'the rules directory is a ConfigMap volume: change the ConfigMap instead',
    });
    expect((await loadDirectory(directory)).ruleSets.map(({ name }) => name)).toEqual(['one']);
  });

  test('says so where the file system does not allow it', async () => {
    await chmod(directory, 0o500);
    // The superuser may write everywhere but in a kernel's file system.
    const readOnly = process.getuid?.() === 0 ? '/sys/kernel' : directory;
    const outcome = await writeRuleFile(readOnly, 'a.yaml', 'x');
    await chmod(directory, 0o700);
    expect(outcome).toEqual({
      kind: 'read_only',
      reason: expect.stringContaining('cannot be written') as string,
    });
  });

  test('throws what is not a matter of permission, and removes its temporary file', async () => {
    await mkdir(path.join(directory, 'a.yaml'));
    await expect(writeRuleFile(directory, 'a.yaml', 'x')).rejects.toMatchObject({ code: 'EISDIR' });
    expect(await readdir(directory)).toEqual(['a.yaml']);
  });
});
