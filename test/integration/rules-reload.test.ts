import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { inWords } from './rules-setup.ts';
import { ask, closing, field, items, startScript, startWith, tool, turn } from './support/index.ts';

const started = closing();

/** Generation `n` of two files that have to agree: one renames for the model `a`, the other for `b`. */
function generation(n: number): Record<string, string> {
  const file = (name: string): string =>
    [
      'apiVersion: toolroll.dev/v1alpha1',
      'kind: RuleSet',
      `metadata: { name: ${name} }`,
      'spec:',
      `  match: { models: [${name}] }`,
      `  tools: [{ rename: { from: get_w, to: gen_${String(n)} } }]`,
    ].join('\n');
  return { 'a.yaml': file('a'), 'b.yaml': file('b') };
}

/** Writes a generation as the kubelet does: a new directory, then one atomic swap of `..data`. */
async function swap(directory: string, n: number): Promise<void> {
  const version = `..gen_${String(n)}`;
  await mkdir(join(directory, version));
  for (const [name, text] of Object.entries(generation(n)))
    await writeFile(join(directory, version, name), text);
  await symlink(version, join(directory, '..data_tmp'));
  await rename(join(directory, '..data_tmp'), join(directory, '..data'));
  if (n > 0) await rm(join(directory, `..gen_${String(n - 1)}`), { recursive: true });
}

describe('200 swaps of the mounted rules while turns run', () => {
  it('fail no turn, and no turn sees one file of a generation beside the other of another', async () => {
    const upstream = await started(startScript(() => inWords));
    const toolroll = await started(startWith({ upstream, files: {} }));
    const { rulesDir, controlUrl } = toolroll;
    await swap(rulesDir, 0);
    for (const name of Object.keys(generation(0))) await symlink(join('..data', name), join(rulesDir, name));
    const reload = async (): Promise<void> => {
      await fetch(`${controlUrl}/api/tools/reload`, { method: 'POST', headers: { connection: 'close' } });
    };
    await reload();

    let swapping = true;
    /** Revisions by generation, as turns saw them: each revision is one generation, whichever file a turn met. */
    const seen = new Map<string, Set<string>>();
    const statuses = new Set<number>();
    const ask1 = async (model: string): Promise<void> => {
      const body = turn({
        model,
        tools: [tool('get_w')],
        metadata: { id: `${model}-${String(Math.random())}` },
      });
      const { status, headers } = await ask(toolroll, body);
      statuses.add(status);
      const id = field(body, 'metadata', 'id');
      const got = upstream.requests.findLast((request) => field(request.body, 'metadata', 'id') === id);
      const name = String(items(got?.body, 'tools')[0]?.['name']);
      const revision = String(headers['x-toolroll-revision']);
      seen.set(revision, (seen.get(revision) ?? new Set()).add(name));
    };
    const load = ['a', 'b'].map(async (model) => {
      while (swapping) await ask1(model);
    });
    for (let n = 1; n <= 200; n += 1) {
      await swap(rulesDir, n);
      if (n % 4 === 0) await reload();
    }
    await reload();
    await Promise.all(['a', 'b'].map(ask1));
    swapping = false;
    await Promise.all(load);

    expect([...statuses]).toEqual([200]);
    for (const names of seen.values()) expect(names.size).toBe(1);
    expect([...seen.values()].flatMap((names) => [...names])).toContain('gen_200');
    expect(seen.size).toBeGreaterThan(5);
    const refused = toolroll.logLines.filter(({ event }) => event === 'rules_refused');
    expect(refused).toEqual([]);
  }, 120_000);
});
