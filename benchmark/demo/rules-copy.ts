/** The sample rules in a folder of their own, so that the demo can be told to edit them. */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A copy of the sample rules. */
export interface RulesCopy {
  readonly directory: string;
  remove(): Promise<void>;
}

/**
 * Copies `examples/rules` into a new temporary folder.
 *
 * @param from any folder of the package
 * @throws Error if the samples are not there
 */
export async function copySampleRules(from: string): Promise<RulesCopy> {
  const samples = findSamples(from);
  const directory = await mkdtemp(join(tmpdir(), 'toolroll-demo-'));
  await cp(samples, directory, { recursive: true });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

/** The built demo lies one folder deeper than its source, so the samples are looked for upwards. */
function findSamples(from: string): string {
  const samples = join(from, 'examples', 'rules');
  if (existsSync(samples)) return samples;
  const parent = dirname(from);
  if (parent === from) throw new Error('examples/rules is not there; run the demo from the package');
  return findSamples(parent);
}
