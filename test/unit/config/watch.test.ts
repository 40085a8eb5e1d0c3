import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigStore, watchDirectory } from '../../../proxy/config/index.ts';
import type { DirectoryWatch, WatchSettings } from '../../../proxy/config/index.ts';
import { ConfigMapVolume, recordingLog, ruleSet, temporaryDirectory, until } from './rules-directory.ts';

let parent: string;
let directory: string;
let remove: () => Promise<void>;
let watch: DirectoryWatch | undefined;

beforeEach(async () => {
  ({ path: parent, remove } = await temporaryDirectory());
  directory = path.join(parent, 'rules');
});
afterEach(async () => {
  await watch?.close();
  watch = undefined;
  await remove();
});

/** A long poll, so that what is seen was told by an event. */
const eventsOnly = { pollSeconds: 3600, debounceMs: 20 } as const;
/** A file system that tells nothing. */
const pollOnly = { pollSeconds: 0.05, sources: 'poll' } as const;

async function follow(settings: Pick<WatchSettings, 'pollSeconds' | 'debounceMs' | 'sources'>): Promise<{
  names: () => string[];
  kinds: string[];
}> {
  const { log } = recordingLog();
  const store = new ConfigStore({ directory, now: Date.now, log });
  const kinds: string[] = [];
  store.onReload(({ kind }) => kinds.push(kind));
  await store.reload();
  watch = watchDirectory({ directory, onChange: () => void store.reload(), log, ...settings });
  const names = (): string[] => {
    const state = store.current();
    return state.status === 'ready' ? state.snapshot.ruleSets.map(({ name }) => name) : [];
  };
  return { names, kinds };
}

const isServing =
  (names: () => string[], ...wanted: string[]) =>
  (): boolean =>
    names().join() === wanted.join();

describe.each([
  ['file events', eventsOnly],
  ['a poll as the only source', pollOnly],
])('a watch fed by %s', (_source, settings) => {
  test('sees three swaps of a ConfigMap, one with the same time and size (F1)', async () => {
    const volume = new ConfigMapVolume(directory);
    const time = new Date('2026-11-30T10:00:00Z');
    await volume.swap({ 'a.yaml': ruleSet('aaa') }, time);
    const { names } = await follow(settings);
    await until(isServing(names, 'aaa'));
    for (const name of ['bbb', 'ccc', 'ddd']) {
      await volume.swap({ 'a.yaml': ruleSet(name) }, time);
      await until(isServing(names, name));
    }
  });

  test('sees a key that is added and one that is removed', async () => {
    const volume = new ConfigMapVolume(directory);
    await volume.swap({ 'a.yaml': ruleSet('one') });
    const { names } = await follow(settings);
    await volume.swap({ 'a.yaml': ruleSet('one'), 'b.yaml': ruleSet('two') });
    await until(isServing(names, 'one', 'two'));
    await volume.swap({ 'b.yaml': ruleSet('two') });
    await until(isServing(names, 'two'));
  });

  test('goes on after a broken revision (F3)', async () => {
    const volume = new ConfigMapVolume(directory);
    await volume.swap({ 'a.yaml': ruleSet('one') });
    const { names, kinds } = await follow(settings);
    await volume.swap({ 'a.yaml': 'spec: [' });
    await until(() => kinds.includes('refused'));
    expect(names()).toEqual(['one']);
    await volume.swap({ 'a.yaml': ruleSet('two') });
    await until(isServing(names, 'two'));
  });

  test('sees plain files written, replaced and removed', async () => {
    await mkdir(directory);
    const { names } = await follow(settings);
    await writeFile(path.join(directory, 'a.yaml'), ruleSet('one'));
    await until(isServing(names, 'one'));
    await writeFile(path.join(directory, '.a.tmp'), ruleSet('two'));
    await rename(path.join(directory, '.a.tmp'), path.join(directory, 'a.yaml'));
    await until(isServing(names, 'two'));
    await rm(path.join(directory, 'a.yaml'));
    await until(isServing(names));
  });
});

describe('a watch', () => {
  test('keeps the deny rule while a file is truncated and takes what is written then (F4)', async () => {
    await mkdir(directory);
    const file = path.join(directory, 'a.yaml');
    await writeFile(file, ruleSet('one'));
    const { names, kinds } = await follow(eventsOnly);
    await writeFile(file, '');
    await until(() => kinds.includes('refused'));
    expect(names()).toEqual(['one']);
    await writeFile(file, ruleSet('two'));
    await until(isServing(names, 'two'));
  });

  test('of a directory that is absent at first finds it later, and its changes by events', async () => {
    const { names } = await follow({ pollSeconds: 3600, debounceMs: 20 });
    const volume = new ConfigMapVolume(directory);
    await volume.swap({ 'a.yaml': ruleSet('one') });
    await until(isServing(names, 'one'));
    await volume.swap({ 'a.yaml': ruleSet('two') });
    await until(isServing(names, 'two'));
  });

  test('of a directory that is removed and made again goes on with the new one', async () => {
    await mkdir(directory);
    await writeFile(path.join(directory, 'a.yaml'), ruleSet('one'));
    const { names, kinds } = await follow({ pollSeconds: 3600, debounceMs: 20 });
    // The watcher is up when its first look has found nothing new.
    await until(() => kinds.includes('unchanged'));
    await rm(directory, { recursive: true });
    await until(() => kinds.includes('refused'));
    expect(names()).toEqual(['one']);
    await mkdir(directory);
    await writeFile(path.join(directory, 'a.yaml'), ruleSet('two'));
    await until(isServing(names, 'two'));
  });

  test('follows a link to a directory when it is turned to another one', async () => {
    await mkdir(path.join(parent, 'first'));
    await mkdir(path.join(parent, 'second'));
    await writeFile(path.join(parent, 'first', 'a.yaml'), ruleSet('one'));
    await writeFile(path.join(parent, 'second', 'a.yaml'), ruleSet('two'));
    await symlink('first', directory);
    const { names } = await follow({ pollSeconds: 0.1, debounceMs: 20 });
    await until(isServing(names, 'one'));
    await symlink('second', path.join(parent, 'next'));
    await rename(path.join(parent, 'next'), directory);
    await until(isServing(names, 'two'));
  });

  test('makes one look of many events in a row', async () => {
    await mkdir(directory);
    let looks = 0;
    const { log } = recordingLog();
    watch = watchDirectory({
      directory,
      onChange: () => (looks += 1),
      pollSeconds: 3600,
      debounceMs: 300,
      log,
    });
    await until(() => looks === 1);
    for (let index = 0; index < 20; index += 1) {
      await writeFile(path.join(directory, `${String(index)}.yaml`), ruleSet(`n${String(index)}`));
    }
    await until(() => looks === 2);
    expect(looks).toBe(2);
  });

  test('that was closed calls nobody', async () => {
    await mkdir(directory);
    let looks = 0;
    const { log } = recordingLog();
    watch = watchDirectory({ directory, onChange: () => (looks += 1), ...eventsOnly, log });
    await watch.close();
    await writeFile(path.join(directory, 'a.yaml'), ruleSet('one'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(looks).toBe(0);
  });
});
