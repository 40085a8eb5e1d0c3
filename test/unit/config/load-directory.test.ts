import { chmod, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { compileText, loadDirectory, loadFiles } from '../../../proxy/config/index.ts';
import { ConfigMapVolume, ruleSet, temporaryDirectory } from './rules-directory.ts';

let directory: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ path: directory, remove } = await temporaryDirectory());
});
afterEach(() => remove());

const put = (name: string, content: string | Uint8Array): Promise<void> =>
  writeFile(path.join(directory, name), content);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('loading a directory', () => {
  test('takes rule sets in lexical order of the files and in the order of documents', async () => {
    await put('b.yml', ruleSet('third'));
    await put('a.yaml', `${ruleSet('first')}---\n${ruleSet('second')}`);
    await put(
      'c.json',
      JSON.stringify({
        apiVersion: 'toolroll.dev/v1alpha1',
        kind: 'RuleSet',
        metadata: { name: 'fourth' },
        spec: {},
      }),
    );
    const loaded = await loadDirectory(directory);
    expect(loaded.faults).toEqual([]);
    expect(loaded.ruleSets.map(({ name }) => name)).toEqual(['first', 'second', 'third', 'fourth']);
    expect(loaded.files.map(({ name, ruleSets }) => [name, ruleSets])).toEqual([
      ['a.yaml', ['first', 'second']],
      ['b.yml', ['third']],
      ['c.json', ['fourth']],
    ]);
    expect(loaded.files[1]).toMatchObject({
      bytes: ruleSet('third').length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(loaded.empty).toBe(false);
  });

  test('gives the same revision for the same files and another one for any change', async () => {
    await put('a.yaml', ruleSet('one'));
    const { revision } = await loadDirectory(directory);
    expect(revision).toMatch(/^[0-9a-f]{12}$/);
    expect((await loadDirectory(directory)).revision).toBe(revision);
    await put('a.yaml', ruleSet('two'));
    expect((await loadDirectory(directory)).revision).not.toBe(revision);
  });

  test('ignores other files, directories, names that belong to the kubelet and locks of an editor', async () => {
    await put('a.yaml', ruleSet('one'));
    await put('README.md', 'not a rule set');
    await put('..hidden.yaml', 'not: a rule set');
    await put('.a.yaml.swp', 'not a rule set');
    await symlink('someone@somewhere', path.join(directory, '.#a.yaml'));
    await mkdir(path.join(directory, 'nested.yaml'));
    const loaded = await loadDirectory(directory);
    expect(loaded.faults).toEqual([]);
    expect(loaded.files.map(({ name }) => name)).toEqual(['a.yaml']);
  });

  test('does not ignore a rule file whose name begins with a single dot', async () => {
    await put('.deny.yaml', ruleSet('one'));
    expect((await loadDirectory(directory)).ruleSets.map(({ name }) => name)).toEqual(['one']);
  });

  test.each([
    ['a missing directory', 'nowhere'],
    ['a directory without rule files', ''],
  ])('%s is a valid empty revision', async (_what, below) => {
    const loaded = await loadDirectory(path.join(directory, below));
    expect(loaded).toMatchObject({ empty: true, faults: [], ruleSets: [], files: [] });
  });

  test('a file that cannot be read is a fault and no rule set is used', async () => {
    await put('a.yaml', ruleSet('one'));
    await symlink('loop.yaml', path.join(directory, 'loop.yaml'));
    const loaded = await loadDirectory(directory);
    expect(loaded.ruleSets).toEqual([]);
    expect(loaded.faults).toEqual([
      { file: 'loop.yaml', line: 1, pointer: '', message: 'the file cannot be read: ELOOP' },
    ]);
  });

  test('a link that leads nowhere is a fault', async () => {
    await symlink('gone.yaml', path.join(directory, 'a.yaml'));
    const loaded = await loadDirectory(directory);
    expect(loaded.faults).toHaveLength(1);
    expect(loaded.ruleSets).toEqual([]);
    expect(loaded.empty).toBe(false);
  });

  test('a named pipe is no rule file and does not make the loader wait', async () => {
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [path.join(directory, 'pipe.yaml')]);
    expect((await loadDirectory(directory)).empty).toBe(true);
  });

  test('a directory that may not be read is a fault', async () => {
    if (process.getuid?.() === 0) return; // the superuser may read everything
    await chmod(directory, 0o000);
    const loaded = await loadDirectory(directory);
    await chmod(directory, 0o700);
    expect(loaded.faults).toEqual([
      { file: '', line: 1, pointer: '', message: 'the directory cannot be read: EACCES' },
    ]);
  });

  test('a file over 1 MiB is refused, one of exactly 1 MiB is not', async () => {
    const text = ruleSet('large');
    const filled = `${text}#${'x'.repeat(1024 * 1024 - text.length - 1)}`;
    await put('a.yaml', filled);
    expect((await loadDirectory(directory)).faults).toEqual([]);
    await put('a.yaml', `${filled}x`);
    expect((await loadDirectory(directory)).faults).toEqual([
      { file: 'a.yaml', line: 1, pointer: '', message: 'the file is larger than 1048576 bytes' },
    ]);
  });

  test('a file that is not UTF-8 is refused, a byte order mark is not', async () => {
    await put('a.yaml', Buffer.from([0xff, 0xfe, 0x41]));
    expect((await loadDirectory(directory)).faults).toEqual([
      { file: 'a.yaml', line: 1, pointer: '', message: 'the file is not valid UTF-8' },
    ]);
    await put('a.yaml', `\uFEFF${ruleSet('marked')}`);
    expect((await loadDirectory(directory)).ruleSets).toHaveLength(1);
  });

  test('one truncated file refuses the whole revision (F4)', async () => {
    await put('a.yaml', ruleSet('one'));
    await put('b.yaml', ruleSet('two'));
    await truncate(path.join(directory, 'a.yaml'), 0);
    const loaded = await loadDirectory(directory);
    expect(loaded.ruleSets).toEqual([]);
    expect(loaded.faults).toEqual([
      {
        file: 'a.yaml',
        line: 1,
        pointer: '',
        message: 'an empty file is refused, so that a truncated one cannot drop a deny rule',
      },
    ]);
  });

  test('faults of all files are told at once, in the order of files and lines', async () => {
    const loaded = await loadFiles(
      new Map([
        ['b.yaml', bytes(ruleSet('two').replace('filter', 'filtr'))],
        ['a.yaml', bytes('a: [')],
        ['c.yaml', bytes(ruleSet('three', '/(/'))],
      ]),
    );
    expect(loaded.faults.map(({ file }) => file)).toEqual(['a.yaml', 'b.yaml', 'c.yaml']);
    expect(loaded.ruleSets).toEqual([]);
  });

  test('two files that name the same rule set are refused, and both are named', async () => {
    const loaded = await loadFiles(
      new Map([
        ['a.yaml', bytes(ruleSet('same'))],
        ['b.yaml', bytes(ruleSet('same'))],
      ]),
    );
    expect(loaded.faults).toEqual([
      {
        file: 'b.yaml',
        line: 3,
        pointer: '/metadata/name',
        message: "b.yaml names a rule set 'same', as a.yaml line 3 does",
      },
    ]);
  });
});

describe('a ConfigMap volume', () => {
  test('is read through ..data, so what stands beside it does not count', async () => {
    const volume = new ConfigMapVolume(directory);
    await volume.swap({ 'a.yaml': ruleSet('one') });
    await put('b.yaml', ruleSet('beside'));
    expect((await loadDirectory(directory)).ruleSets.map(({ name }) => name)).toEqual(['one']);
  });

  test('with a ..data that leads nowhere is a fault, not an empty revision', async () => {
    await symlink('..gone', path.join(directory, '..data'));
    const loaded = await loadDirectory(directory);
    expect(loaded.empty).toBe(false);
    expect(loaded.faults).toHaveLength(1);
  });

  test('never gives a mixed set while it is swapped', async () => {
    const volume = new ConfigMapVolume(directory);
    const both = (name: string): Record<string, string> => ({
      'a.yaml': ruleSet(`${name}-a`),
      'b.yaml': ruleSet(`${name}-b`),
    });
    await volume.swap(both('g0'));
    const seen: string[][] = [];
    const reader = { isDone: false };
    // Swaps go on for as long as somebody reads, however slow the machine.
    const swaps = (async () => {
      for (let generation = 1; !reader.isDone; generation += 1) {
        await volume.swap(both(`g${String(generation)}`));
        await setTimeout(5);
      }
    })();
    for (let reads = 0; reads < 30; reads += 1) {
      const loaded = await loadDirectory(directory);
      if (loaded.faults.length === 0) seen.push(loaded.ruleSets.map(({ name }) => name));
    }
    reader.isDone = true;
    await swaps;
    seen.push((await loadDirectory(directory)).ruleSets.map(({ name }) => name));
    expect(seen.length).toBeGreaterThan(10);
    for (const [a, b] of seen) expect(a?.replace(/-a$/, '')).toBe(b?.replace(/-b$/, ''));
  });
});

describe('a catalogue file', () => {
  const withCatalogue = (file: string): string =>
    ruleSet('rolled').replace(
      'spec: {',
      `spec: { selection: { strategy: two_hop, catalogue: { file: ${file} } },`,
    );

  test('lists what may be rolled up, as names or as tools of either API', async () => {
    await put('rules.yaml', withCatalogue('tools.json'));
    const tools = [
      'plain',
      { type: 'function', name: 'lookup', parameters: {} },
      { type: 'function', function: { name: 'chat_shaped' } },
      { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }] },
    ];
    await put('tools.json', JSON.stringify(tools));
    const loaded = await loadDirectory(directory);
    expect(loaded.faults).toEqual([]);
    expect(loaded.files.map(({ name, ruleSets }) => [name, ruleSets])).toEqual([
      ['rules.yaml', ['rolled']],
      ['tools.json', []],
    ]);
    expect([...(loaded.ruleSets[0]?.selection.known ?? [])]).toEqual([
      'plain',
      'lookup',
      'chat_shaped',
      'crm.find',
    ]);
  });

  test('that is missing is a fault at the place that names it', async () => {
    await put('rules.yaml', withCatalogue('tools.json'));
    expect((await loadDirectory(directory)).faults).toEqual([
      {
        file: 'rules.yaml',
        line: 4,
        pointer: '/spec/selection/catalogue/file',
        message: "the catalogue file 'tools.json' is not in the rules directory",
      },
    ]);
  });

  test('that holds something else is a fault in that file', async () => {
    await put('rules.yaml', withCatalogue('tools.json'));
    await put('tools.json', '["fine",\n 7]');
    expect((await loadDirectory(directory)).faults).toEqual([
      {
        file: 'tools.json',
        line: 2,
        pointer: '/1',
        message: 'this entry must be a name or a tool with a name',
      },
    ]);
    await put('tools.json', '{}');
    expect((await loadDirectory(directory)).faults).toEqual([
      {
        file: 'tools.json',
        line: 1,
        pointer: '',
        message: 'a catalogue must be a list of tools or of names',
      },
    ]);
  });

  test('is not looked for where one text is checked alone', () => {
    expect(compileText(withCatalogue('tools.json'), 'rules.yaml').faults).toEqual([]);
  });
});

describe('a text that wants to cost too much', () => {
  test.each([
    ['brackets without end', '['.repeat(1_000_000)],
    ['lists in lists', '- '.repeat(100_000)],
    ['aliases of aliases', `[&a [1, 2], ${'*a, '.repeat(60_000)}]`],
    ['one mistake after another', Array.from({ length: 20_000 }, (_, i) => `k${String(i)}: 1`).join('\n')],
  ])('is refused with few faults: %s', (_what, text) => {
    const { faults, ruleSets } = compileText(text, 'costly.yaml');
    expect(ruleSets).toEqual([]);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.length).toBeLessThanOrEqual(101);
  });
});
