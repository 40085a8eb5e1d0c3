import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runDemo } from '../../benchmark/demo/index.ts';
import { questions } from '../../benchmark/scenarios/index.ts';
import { loadDirectory, validateText } from '../../proxy/config/index.ts';

const packageFolder = join(__dirname, '..', '..');

/** What the demo prints, and a way to wait for a line of it. */
class Screen {
  text = '';
  readonly #waiting: { readonly pattern: RegExp; readonly resolve: (found: string) => void }[] = [];

  readonly print = (text: string): void => {
    this.text += `${text}\n`;
    for (const { pattern, resolve } of this.#waiting) {
      const found = pattern.exec(this.text);
      if (found !== null) resolve(found[1] ?? found[0]);
    }
  };

  shows(pattern: RegExp): Promise<string> {
    return new Promise((resolve) => {
      this.#waiting.push({ pattern, resolve });
      this.print('');
    });
  }
}

describe('The demo', () => {
  it('asks every question both ways and shows in one table that the answers are the same for fewer tokens', async () => {
    const screen = new Screen();
    const allSame = await runDemo({ packageFolder, print: screen.print, until: AbortSignal.abort() });
    expect(allSame).toBe(true);
    const rows = screen.text.split('\n').filter((line) => line.endsWith('same     same'));
    expect(rows).toHaveLength(questions.length);
    questions.forEach(({ tool }, at) => {
      const [, direct = '', through = '', hops = ''] =
        new RegExp(`\\s${tool}\\s+([\\d,]+)\\s+([\\d,]+)\\s+(\\d)\\s`).exec(rows[at] ?? '') ?? [];
      expect(hops).toBe('2');
      expect(toNumber(through)).toBeGreaterThan(0);
      expect(toNumber(through)).toBeLessThan(toNumber(direct) * 0.12);
    });
    expect(screen.text).toMatch(
      new RegExp(`^${String(questions.length)} turns .* ${String(questions.length)} same$`, 'm'),
    );
    expect(screen.text).not.toContain('FAILED');
  });

  it('says which turns failed, and that it failed as a whole', async () => {
    const screen = new Screen();
    const allSame = await runDemo({
      packageFolder,
      print: screen.print,
      until: AbortSignal.abort(),
      fault: 'server_error;status=503',
    });
    expect(allSame).toBe(false);
    expect(screen.text.match(/^FAILED ".*": JSON: 503/gm)).toHaveLength(questions.length);
  });

  it('stays up, shows reloads and refusals of the rules, and leaves nothing behind', async () => {
    const screen = new Screen();
    const stop = new AbortController();
    const ended = runDemo({ packageFolder, print: screen.print, until: stop.signal });
    const file = await screen.shows(/>> (\S+\/default\.yaml)$/m);
    const control = await screen.shows(/^control\s+(\S+)$/m);

    await appendFile(file, '# seen\n');
    const revision = await screen.shows(/^Rules reloaded: revision (\S+) serves\.$/m);
    const status: unknown = await (await fetch(`${control}/api/status`)).json();
    expect(status).toMatchObject({ revision: expect.stringContaining(revision) as unknown, lastError: null });

    await appendFile(file, 'spec: { mod: on }\n');
    expect(await screen.shows(/^Rules refused.*$/m)).toContain('default.yaml');

    stop.abort();
    expect(await ended).toBe(true);
    expect(existsSync(file)).toBe(false);
    await expect(fetch(`${control}/healthz`)).rejects.toThrow();
  });
});

describe('The sample rules', () => {
  it('load as a rules directory', async () => {
    const loaded = await loadDirectory(join(packageFolder, 'examples', 'rules'));
    expect(loaded.faults).toEqual([]);
    expect(loaded.ruleSets.map(({ name }) => name)).toEqual(['default']);
  });

  it('are valid, each file by itself', async () => {
    const folder = join(packageFolder, 'examples');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
    expect(names).not.toHaveLength(0);
    for (const name of names) {
      expect(validateText(await readFile(join(folder, name), 'utf8'), name).faults).toEqual([]);
    }
  });
});

function toNumber(text: string): number {
  return Number(text.replaceAll(',', ''));
}
