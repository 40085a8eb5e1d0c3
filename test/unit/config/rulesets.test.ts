import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { loadFiles, validateText } from '../../../proxy/config/index.ts';

const directory = path.join(__dirname, '../../rulesets');
const names = readdirSync(directory).sort();
const read = (name: string): string => readFileSync(path.join(directory, name), 'utf8');
const good = names.filter((name) => name.endsWith('.good.yaml'));
const bad = names.filter((name) => name.endsWith('.bad.yaml'));

describe('the example rule sets', () => {
  test('are there: good ones, bad ones, and for each bad one the faults it must give', () => {
    expect(good.length).toBeGreaterThan(3);
    expect(bad.map((name) => name.replace('.yaml', '.expected.json'))).toEqual(
      names.filter((name) => name.endsWith('.expected.json')),
    );
  });

  test.each(good)('%s is valid', (name) => {
    expect(validateText(read(name), name)).toEqual({ valid: true, faults: [] });
  });

  test.each(bad)('%s is refused with exactly the faults written beside it', (name) => {
    const expected: unknown = JSON.parse(read(name.replace('.yaml', '.expected.json')));
    const { valid, faults } = validateText(read(name), name);
    expect(valid).toBe(false);
    expect(faults).toEqual(expected);
  });

  test.each(bad)('%s gives the same faults through the loader of directories', async (name) => {
    const expected: unknown = JSON.parse(read(name.replace('.yaml', '.expected.json')));
    const loaded = await loadFiles(new Map([[name, readFileSync(path.join(directory, name))]]));
    expect(loaded.ruleSets).toEqual([]);
    expect(loaded.faults).toEqual(expected);
  });
});
