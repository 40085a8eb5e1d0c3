import { lstat, mkdtemp, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The text of a rule set that denies what its name says, padded so that equal names give equal sizes. */
export function ruleSet(name: string, deny = 'delete_*'): string {
  return [
    'apiVersion: toolroll.dev/v1alpha1',
    'kind: RuleSet',
    `metadata: { name: ${name} }`,
    `spec: { tools: [{ filter: { deny: ["${deny}"] } }] }`,
    '',
  ].join('\n');
}

/** Files by name. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A directory of one test, gone when it ends. */
export async function temporaryDirectory(): Promise<{ path: string; remove: () => Promise<void> }> {
  const made = await mkdtemp(path.join(tmpdir(), 'toolroll-rules-'));
  return { path: made, remove: () => rm(made, { recursive: true, force: true }) };
}

/** Lays a directory out as the kubelet lays out a ConfigMap volume, and swaps it as the kubelet does. */
export class ConfigMapVolume {
  readonly mount: string;
  private generation = 0;
  private live: string | undefined;

  constructor(mount: string) {
    this.mount = mount;
  }

  /** Writes a new directory, renames a new link over `..data`, adds key links, removes the old directory. */
  async swap(files: Files, modified?: Date): Promise<void> {
    await mkdir(this.mount, { recursive: true });
    this.generation += 1;
    const next = `..2026_11_30_10_00_00.${String(this.generation)}`;
    await mkdir(path.join(this.mount, next));
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(this.mount, next, name);
      await writeFile(file, content);
      if (modified !== undefined) await utimes(file, modified, modified);
    }
    if (modified !== undefined) await utimes(path.join(this.mount, next), modified, modified);
    await symlink(next, path.join(this.mount, '..data_tmp'));
    await rename(path.join(this.mount, '..data_tmp'), path.join(this.mount, '..data'));
    for (const name of Object.keys(files)) {
      const link = path.join(this.mount, name);
      if (!(await exists(link))) await symlink(path.join('..data', name), link);
    }
    if (this.live !== undefined) await rm(path.join(this.mount, this.live), { recursive: true });
    this.live = next;
  }
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

/** A log that keeps what was written, as `level event`. */
export function recordingLog(): {
  lines: string[];
  log: Record<'info' | 'warn' | 'error', (event: string) => void>;
} {
  const lines: string[] = [];
  const at = (level: string) => (event: string) => void lines.push(`${level} ${event}`);
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } };
}

/** Waits until something holds; the test's own timeout is the limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}
