import { parse, stringify } from 'yaml';
import { compileText, loadFiles } from '../../../proxy/config/index.ts';

const head = [
  'apiVersion: toolroll.dev/v1alpha1',
  'kind: RuleSet',
  'metadata: { name: long }',
  'spec:',
  '  tools:',
];
const rulesFrom = 6;

/** A rule set with one rule to a line, from line `rulesFrom` on. */
function longText(rules: readonly string[], after: readonly string[] = []): string {
  return [...head, ...rules.map((rule) => `    - ${rule}`), ...after, ''].join('\n');
}

const renames = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `rename: { from: a${String(i)}, to: b${String(i)} }`);
const files = (text: string): Map<string, Uint8Array> =>
  new Map([['long.yaml', new TextEncoder().encode(text)]]);

describe('a long file', () => {
  test('is loaded while other work goes on', async () => {
    const work = { turns: 0, over: false };
    const other = (): void => {
      if (work.over) return;
      work.turns += 1;
      setImmediate(other);
    };
    setImmediate(other);
    const loaded = await loadFiles(files(longText(renames(4_000))));
    work.over = true;
    expect(loaded.faults).toEqual([]);
    expect(loaded.ruleSets[0]?.rules).toHaveLength(4_000);
    // In one piece it would be a handful; in slices of milliseconds it is a hundred and more.
    expect(work.turns).toBeGreaterThan(20);
  });

  test.each([1, 8, 15, 16, 17, 18, 19, 26, 27, 40, 100])('keeps all of %i rules, in order', (count) => {
    const whole = { apiVersion: 'toolroll.dev/v1alpha1', kind: 'RuleSet', metadata: { name: 'long' } };
    const tools = renames(count).map((text): unknown => parse(text));
    const value = { ...whole, spec: { tools } };
    const texts = [
      longText(renames(count)),
      stringify(value),
      JSON.stringify(value),
      JSON.stringify(value, null, 2),
    ];
    for (const text of texts) {
      const { ruleSets, faults } = compileText(text, 'long');
      expect(faults).toEqual([]);
      expect(ruleSets[0]?.rules.map((rule) => (rule.kind === 'rename' ? rule.from : rule.kind))).toEqual(
        Array.from({ length: count }, (_, i) => `a${String(i)}`),
      );
    }
  });

  test('has a wrong rule told at its line, wherever it stands', () => {
    for (let at = 0; at < 40; at += 1) {
      const rules = renames(40);
      rules[at] = 'renam: { from: a, to: b }';
      expect(compileText(longText(rules), 'long.yaml').faults).toEqual([
        {
          file: 'long.yaml',
          line: rulesFrom + at,
          pointer: `/spec/tools/${String(at)}/renam`,
          message: "unknown field 'renam'; did you mean 'rename'?",
        },
      ]);
    }
  });

  test('has a mistake of YAML told at its line, wherever it stands', () => {
    for (let at = 0; at < 40; at += 1) {
      const rules = renames(40);
      rules[at] = 'filter: { deny: [a }';
      const { faults } = compileText(longText(rules), 'long.yaml');
      expect(faults.length).toBeGreaterThan(0);
      for (const { line, message } of faults) {
        expect(line - rulesFrom - at).toBeLessThanOrEqual(1);
        expect(message).toMatch(/^YAML: /);
      }
      expect(faults[0]?.line).toBe(rulesFrom + at);
    }
  });

  test('has a mistake behind its list told where it stands', () => {
    const { faults } = compileText(longText(renames(40), ['   mode: off']), 'long.yaml');
    expect(faults.map(({ line }) => line)).toEqual([rulesFrom + 40]);
  });

  test('may use an anchor of one rule in another, and lists inside of its lists', () => {
    const denied = Array.from({ length: 50 }, (_, i) => `tool_${String(i)}`);
    const rules = renames(60);
    rules[3] = 'filter: &first { deny: [one] }';
    rules[20] = `filter: &long { deny: [${denied.join(', ')}] }`;
    rules[40] = 'filter: *long';
    rules[59] = 'filter: *first';
    const { ruleSets, faults } = compileText(longText(rules), 'long.yaml');
    expect(faults).toEqual([]);
    const kept = [3, 20, 40, 59].map((at) => {
      const rule = ruleSets[0]?.rules[at];
      return rule?.kind === 'filter' ? rule.deny.length : rule?.kind;
    });
    expect(kept).toEqual([1, 50, 50, 1]);
  });

  test('with a tag or a directive is read as any other', () => {
    const rules = renames(40);
    rules[30] = 'rename: { from: !!str 7, to: b }';
    expect(compileText(longText(rules), 'long.yaml').faults).toEqual([]);
    const { faults, ruleSets } = compileText(`%YAML 1.2\n---\n${longText(renames(40))}`, 'long.yaml');
    expect(faults).toEqual([]);
    expect(ruleSets[0]?.rules).toHaveLength(40);
  });
});

test('faults of one line are told in the order of the schema, those of the rules among all others', () => {
  const text = JSON.stringify({
    apiVersion: 'toolroll.dev/v1alpha1',
    kind: 'RuleSet',
    metadata: { name: 'one-line' },
    spec: { mode: 'on', tools: [{ filter: {} }, 7, { trim: { descriptionChars: -1 } }], selection: 3 },
  });
  expect(compileText(text, 'one-line.json').faults.map(({ pointer }) => pointer)).toEqual([
    '/spec/mode',
    '/spec/tools/0/filter',
    '/spec/tools/1',
    '/spec/tools/2/trim/descriptionChars',
    '/spec/selection',
  ]);
});
