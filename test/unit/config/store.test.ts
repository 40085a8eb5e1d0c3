import { writeFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigStore } from '../../../proxy/config/index.ts';
import type { ReloadOutcome, Snapshot } from '../../../proxy/config/index.ts';
import { ConfigMapVolume, recordingLog, ruleSet, temporaryDirectory } from './rules-directory.ts';

let directory: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  const made = await temporaryDirectory();
  directory = path.join(made.path, 'rules');
  remove = made.remove;
});
afterEach(() => remove());

function openStore(): { store: ConfigStore; outcomes: ReloadOutcome[]; lines: string[] } {
  const { lines, log } = recordingLog();
  let time = 1000;
  const store = new ConfigStore({ directory, now: () => (time += 5), log });
  const outcomes: ReloadOutcome[] = [];
  store.onReload((outcome) => outcomes.push(outcome));
  return { store, outcomes, lines };
}

/** What serves; fails where nothing does. */
function serving(store: ConfigStore): Snapshot {
  const state = store.current();
  if (state.status !== 'ready') throw new Error(`not ready but ${state.status}`);
  return state.snapshot;
}

const names = (store: ConfigStore): string[] => serving(store).ruleSets.map(({ name }) => name);
const broken = 'spec: [';

describe('the store', () => {
  test('is loading until the first reload', () => {
    expect(openStore().store.current()).toEqual({ status: 'loading' });
  });

  test('serves what it loaded, frozen, and tells when', async () => {
    const volume = new ConfigMapVolume(directory);
    await volume.swap({ 'a.yaml': ruleSet('one') });
    const { store, outcomes, lines } = openStore();
    const outcome = await store.reload();
    expect(outcome).toMatchObject({ kind: 'applied', faults: [], repeated: false });
    expect(outcome.loadedAt).toBe(serving(store).loadedAt);
    expect(outcome.durationMs).toBeGreaterThan(0);
    expect(outcome.revision).toBe(serving(store).revision);
    expect(Object.isFrozen(serving(store)) && Object.isFrozen(serving(store).ruleSets)).toBe(true);
    expect(names(store)).toEqual(['one']);
    expect(outcomes).toEqual([outcome]);
    expect(lines).toEqual(['info rules_applied']);
  });

  test('follows three swaps of a ConfigMap, one of them with the same time and size (F1)', async () => {
    const volume = new ConfigMapVolume(directory);
    const { store, outcomes } = openStore();
    const time = new Date('2026-11-30T10:00:00Z');
    await volume.swap({ 'a.yaml': ruleSet('aaa') }, time);
    await store.reload();
    for (const name of ['bbb', 'ccc', 'ddd']) {
      await volume.swap({ 'a.yaml': ruleSet(name) }, time);
      await store.reload();
      expect(names(store)).toEqual([name]);
    }
    expect(outcomes.map(({ kind }) => kind)).toEqual(['applied', 'applied', 'applied', 'applied']);
  });

  test('does nothing where the content is the same, even in a new directory', async () => {
    const volume = new ConfigMapVolume(directory);
    await volume.swap({ 'a.yaml': ruleSet('one') });
    const { store, lines } = openStore();
    await store.reload();
    const before = store.current();
    await volume.swap({ 'a.yaml': ruleSet('one') });
    expect(await store.reload()).toMatchObject({ kind: 'unchanged', loadedAt: serving(store).loadedAt });
    expect(store.current()).toBe(before);
    expect(lines).toHaveLength(1);
  });

  test('keeps the last good revision through a broken one and takes the next good one (F3)', async () => {
    const volume = new ConfigMapVolume(directory);
    await volume.swap({ 'a.yaml': ruleSet('one') });
    const { store, outcomes, lines } = openStore();
    await store.reload();
    const good = serving(store);
    await volume.swap({ 'a.yaml': broken });
    const refused = await store.reload();
    expect(refused).toMatchObject({ kind: 'refused', repeated: false, loadedAt: good.loadedAt });
    expect(refused.faults[0]).toMatchObject({ file: 'a.yaml', line: 1 });
    expect(serving(store)).toBe(good);
    expect(store.current()).toMatchObject({ status: 'ready', lastFaults: refused.faults });
    await volume.swap({ 'a.yaml': ruleSet('two') });
    await store.reload();
    expect(names(store)).toEqual(['two']);
    expect(store.current()).toMatchObject({ lastFaults: [], refusal: undefined });
    expect(outcomes.map(({ kind }) => kind)).toEqual(['applied', 'refused', 'applied']);
    expect(lines).toEqual(['info rules_applied', 'error rules_refused', 'info rules_applied']);
  });

  test('forgets a refusal when the serving content comes back', async () => {
    const volume = new ConfigMapVolume(directory);
    await volume.swap({ 'a.yaml': ruleSet('one') });
    const { store, lines } = openStore();
    await store.reload();
    await volume.swap({ 'a.yaml': broken });
    await store.reload();
    await volume.swap({ 'a.yaml': ruleSet('one') });
    expect((await store.reload()).kind).toBe('unchanged');
    expect(store.current()).toMatchObject({ status: 'ready', lastFaults: [], refusal: undefined });
    expect(lines.at(-1)).toBe('info rules_restored');
  });

  test('refuses a bad pattern, and a revision in which one of two keys is broken (F3)', async () => {
    const volume = new ConfigMapVolume(directory);
    await volume.swap({ 'a.yaml': ruleSet('one') });
    const { store } = openStore();
    await store.reload();
    await volume.swap({ 'a.yaml': ruleSet('two', '/(unclosed/') });
    expect((await store.reload()).faults).toEqual([
      expect.objectContaining({ file: 'a.yaml', line: 4, pointer: '/spec/tools/0/filter/deny/0' }),
    ]);
    await volume.swap({ 'a.yaml': ruleSet('three'), 'b.yaml': broken });
    expect((await store.reload()).faults.map(({ file }) => file)).toEqual(['b.yaml']);
    expect(names(store)).toEqual(['one']);
  });

  test('keeps a deny rule while its file is truncated (F4)', async () => {
    await mkdir(directory);
    const file = path.join(directory, 'a.yaml');
    await writeFile(file, ruleSet('one'));
    const { store } = openStore();
    await store.reload();
    await writeFile(file, '');
    expect((await store.reload()).kind).toBe('refused');
    expect(names(store)).toEqual(['one']);
    await writeFile(file, ruleSet('two'));
    await store.reload();
    expect(names(store)).toEqual(['two']);
  });

  test('says once what is wrong with a revision, however often it is looked at', async () => {
    const volume = new ConfigMapVolume(directory);
    await volume.swap({ 'a.yaml': broken });
    const { store, lines } = openStore();
    const first = await store.reload();
    const second = await store.reload();
    expect([first.repeated, second.repeated]).toEqual([false, true]);
    expect(second.faults).toEqual(first.faults);
    expect(lines).toEqual(['error rules_refused']);
  });

  test('is invalid where the first revision is, with the reason in one line, and recovers', async () => {
    const volume = new ConfigMapVolume(directory);
    await volume.swap({ 'a.yaml': ruleSet('one').replace('filter', 'filtr') });
    const { store } = openStore();
    expect(await store.reload()).toMatchObject({ kind: 'refused', loadedAt: undefined });
    expect(store.current()).toMatchObject({
      status: 'invalid',
      lastError: "a.yaml:4: unknown field 'filtr'; did you mean 'filter'?",
    });
    await volume.swap({ 'a.yaml': ruleSet('one') });
    await store.reload();
    expect(names(store)).toEqual(['one']);
  });

  test.each(['missing', 'without files'])('is ready and empty where the directory is %s', async (how) => {
    if (how === 'without files') await mkdir(directory);
    const { store, lines } = openStore();
    await store.reload();
    await store.reload();
    expect(serving(store)).toMatchObject({ empty: true, ruleSets: [] });
    expect(lines).toEqual(['warn rules_none']);
  });

  test('keeps its rules where the whole directory vanishes, and drops them where someone removes the last file', async () => {
    await mkdir(directory);
    await writeFile(path.join(directory, 'a.yaml'), ruleSet('one'));
    const { store } = openStore();
    await store.reload();
    await rm(directory, { recursive: true });
    expect(await store.reload()).toMatchObject({
      kind: 'refused',
      faults: [{ message: 'the rules directory is gone' }],
    });
    expect(names(store)).toEqual(['one']);
    await mkdir(directory);
    expect((await store.reload()).kind).toBe('applied');
    expect(serving(store).empty).toBe(true);
  });

  test('never runs two reloads at once; calls during one share the next', async () => {
    await mkdir(directory);
    const file = path.join(directory, 'a.yaml');
    await writeFile(file, ruleSet('one'));
    const { store, outcomes } = openStore();
    const first = store.reload();
    writeFileSync(file, ruleSet('two'));
    const later = [store.reload(), store.reload(), store.reload()];
    expect(new Set(later).size).toBe(1);
    await Promise.all([first, ...later]);
    expect(outcomes).toHaveLength(2);
    expect(names(store)).toEqual(['two']);
  });

  test('stops telling a listener that has gone', async () => {
    const { store } = openStore();
    const heard: string[] = [];
    const stop = store.onReload(({ kind }) => heard.push(kind));
    await store.reload();
    stop();
    await store.reload();
    expect(heard).toEqual(['applied']);
  });
});
