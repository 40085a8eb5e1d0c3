import { rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigStore, watchConfig } from '../../../proxy/config/index.ts';
import type { DirectoryWatch, Snapshot } from '../../../proxy/config/index.ts';
import { recordingLog, ruleSet, temporaryDirectory, until } from './rules-directory.ts';
import { skillText, writeFiles } from './skill-files.ts';

let directory: string;
let remove: () => Promise<void>;
let watch: DirectoryWatch | undefined;

beforeEach(async () => {
  ({ path: directory, remove } = await temporaryDirectory());
});
afterEach(async () => {
  await watch?.close();
  watch = undefined;
  await remove();
});

function openStore(skillsDirectory?: string): { store: ConfigStore; lines: string[]; kinds: string[] } {
  const { lines, log } = recordingLog();
  const store = new ConfigStore({ directory, skillsDirectory, now: Date.now, log });
  const kinds: string[] = [];
  store.onReload(({ kind }) => kinds.push(kind));
  return { store, lines, kinds };
}

/** What serves; fails where nothing does. */
function serving(store: ConfigStore): Snapshot {
  const state = store.current();
  if (state.status !== 'ready') throw new Error(`not ready but ${state.status}`);
  return state.snapshot;
}

const names = (store: ConfigStore): string[] => {
  const state = store.current();
  return state.status === 'ready' ? [...state.snapshot.skills.keys()] : [];
};

describe('the store', () => {
  test('serves skills with the rules as one revision', async () => {
    await writeFiles(directory, { 'a.yaml': ruleSet('one'), 'skills/a.md': skillText('a') });
    const { store, lines } = openStore();
    const first = await store.reload();
    expect(names(store)).toEqual(['a']);
    await writeFiles(directory, { 'skills/b/SKILL.md': skillText('b') });
    const second = await store.reload();

    expect(names(store)).toEqual(['a', 'b']);
    expect(second).toMatchObject({ kind: 'applied', revision: serving(store).revision });
    expect(second.revision).not.toBe(first.revision);
    expect((await store.reload()).kind).toBe('unchanged');
    expect(lines).toEqual(['info rules_applied', 'info rules_applied']);
  });

  test('takes a revision with a faulty skill, and tells the fault until it is mended', async () => {
    await writeFiles(directory, { 'skills/a.md': skillText('a'), 'skills/b.md': 'Text.' });
    const { store, lines } = openStore();
    expect(await store.reload()).toMatchObject({ kind: 'applied', faults: [] });
    expect(serving(store).skillFaults).toMatchObject([{ severity: 'error', file: 'skills/b.md', line: 1 }]);
    expect(names(store)).toEqual(['a']);
    expect(Object.isFrozen(serving(store).skillFaults)).toBe(true);
    expect(lines).toEqual(['warn rules_none', 'warn skills_faulty']);
    await writeFiles(directory, { 'skills/b.md': skillText('b') });
    await store.reload();

    expect(serving(store).skillFaults).toEqual([]);
    expect(names(store)).toEqual(['a', 'b']);
  });

  test('sees a link break and mend that no content tells of', async () => {
    await writeFiles(directory, { 'skills/a.md': skillText('a') });
    const { store, kinds } = openStore();
    await store.reload();
    const link = path.join(directory, 'skills', 'x.md');
    await symlink('nowhere', link);
    await store.reload();
    expect(serving(store).skillFaults).toHaveLength(1);
    await store.reload();
    await rm(link);
    await store.reload();

    expect(serving(store).skillFaults).toEqual([]);
    expect(kinds).toEqual(['applied', 'applied', 'unchanged', 'applied']);
  });

  test('keeps skills and rules of the last revision together where new rules are broken', async () => {
    await writeFiles(directory, { 'a.yaml': ruleSet('one'), 'skills/a.md': skillText('a') });
    const { store } = openStore();
    await store.reload();
    const good = serving(store);
    await writeFiles(directory, { 'a.yaml': 'spec: [', 'skills/a.md': skillText('changed') });
    expect((await store.reload()).kind).toBe('refused');
    expect(serving(store)).toBe(good);
    await writeFiles(directory, { 'a.yaml': ruleSet('two') });
    await store.reload();

    expect(names(store)).toEqual(['changed']);
  });

  test('parses what has changed, and keeps the rest as it is', async () => {
    await writeFiles(directory, { 'skills/a.md': skillText('a'), 'skills/b.md': skillText('b') });
    const { store } = openStore();
    await store.reload();
    const before = serving(store).skills;
    await writeFiles(directory, { 'skills/b.md': skillText('b', 'Otherwise.') });
    await store.reload();

    expect(serving(store).skills.get('a')).toBe(before.get('a'));
    expect(serving(store).skills.get('b')?.content).toBe('Otherwise.');
  });

  test('keeps skills where the whole rules directory vanishes', async () => {
    await writeFiles(directory, { 'skills/a.md': skillText('a') });
    const { store } = openStore();
    await store.reload();
    await rm(directory, { recursive: true });

    expect((await store.reload()).kind).toBe('refused');
    expect(names(store)).toEqual(['a']);
  });

  test('keeps skills while their directory cannot be read, and says so', async () => {
    const skills = path.join(directory, 'skills');
    await writeFiles(directory, { 'skills/a.md': skillText('a') });
    const { store } = openStore();
    await store.reload();
    const revision = serving(store).revision;
    await rm(skills, { recursive: true });
    await writeFile(skills, 'no directory');
    await store.reload();

    expect(names(store)).toEqual(['a']);
    expect(serving(store)).toMatchObject({ revision, skillFaults: [{ file: 'skills', severity: 'error' }] });
  });
});

describe.each([
  ['file events', { pollSeconds: 3600, debounceMs: 20 }],
  ['a poll as the only source', { pollSeconds: 0.05, sources: 'poll' }],
] as const)('a watch fed by %s', (_source, settings) => {
  async function follow(skillsDirectory?: string): Promise<ConfigStore> {
    const { store } = openStore(skillsDirectory);
    const { log } = recordingLog();
    await store.reload();
    const onChange = (): void => void store.reload();
    watch = watchConfig({ rulesDirectory: directory, skillsDirectory, onChange, log, ...settings });
    return store;
  }

  const isServing =
    (store: ConfigStore, ...wanted: string[]) =>
    (): boolean =>
      names(store).join() === wanted.join();

  test('sees skills that appear, change and go, in files and in directories', async () => {
    const store = await follow();
    await writeFiles(directory, { 'skills/a.md': skillText('a') });
    await until(isServing(store, 'a'));
    await writeFiles(directory, { 'skills/b/SKILL.md': skillText('b') });
    await until(isServing(store, 'a', 'b'));
    await writeFiles(directory, { 'skills/b/SKILL.md': skillText('changed') });
    await until(isServing(store, 'a', 'changed'));
    await rm(path.join(directory, 'skills', 'a.md'));
    await until(isServing(store, 'changed'));
  });

  test('sees a directory of their own', async () => {
    const own = path.join(directory, 'elsewhere', 'own');
    await writeFiles(own, { 'a.md': skillText('a') });
    const store = await follow(own);
    await until(isServing(store, 'a'));
    await writeFiles(own, { 'b.md': skillText('b') });
    await until(isServing(store, 'a', 'b'));
  });
});
