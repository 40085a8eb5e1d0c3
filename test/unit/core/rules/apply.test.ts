import fc from 'fast-check';

import { applyRules } from '../../../../proxy/core/rules/index.ts';
import { responsesAdapter } from '../../../../proxy/core/protocols/index.ts';
import type { Turn } from '../../../../proxy/core/turn/index.ts';
import type { RuleSetSpec } from '../../../../schemas/generated/ruleset.ts';
import { compiled } from './rules-for.ts';

function turnOf(names: readonly string[]): Turn {
  const tools = names.map((name) => ({ type: 'function', name }));
  const decoded = responsesAdapter.decodeRequest(JSON.stringify({ tools, input: 'hi' }));
  if (decoded.kind !== 'turn') throw new Error(decoded.reason);
  return decoded.turn;
}

type Rename = { from: string; to: string };

function renames(list: readonly Rename[]): RuleSetSpec {
  return { tools: list.map((rename, index) => ({ id: `r${String(index)}`, rename })) };
}

const name = fc.constantFrom('a', 'b', 'c', 'd', 'a_2', 'b_2');

describe('renames', () => {
  it('give every tool a name of its own and lead each back to the one it had, in whatever order they stand', () => {
    const list = fc.uniqueArray(fc.record({ from: name, to: name }), {
      selector: ({ from }) => from,
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.uniqueArray(name), list, (names, rules) => {
        const { ruleSet } = compiled(renames(rules));
        const { tools, forward, backward } = applyRules(ruleSet, turnOf(names).toolList);

        const upstream = tools.map((tool) => tool.name);
        expect(new Set(upstream).size).toBe(names.length);
        expect(upstream.map((own) => backward.get(own) ?? own)).toEqual(names);
        expect(names.map((own) => forward.get(own) ?? own)).toEqual(upstream);
        for (const { name: own, text } of tools)
          expect(JSON.parse(text)).toEqual({ type: 'function', name: own });
      }),
      { numRuns: 1_000 },
    );
  });

  it('are remembered for as long as the tools are the same', () => {
    const { ruleSet } = compiled(renames([{ from: 'a', to: 'x' }]));

    expect(applyRules(ruleSet, turnOf(['a', 'b']).toolList)).toBe(
      applyRules(ruleSet, turnOf(['a', 'b']).toolList),
    );
  });

  it('keep within the length of a name when they make one unique', () => {
    const long = 'x'.repeat(128);
    const { ruleSet } = compiled(renames([{ from: 'a', to: long }]));

    const [first] = applyRules(ruleSet, turnOf(['a', long]).toolList).tools;
    expect(first?.name).toBe(`${'x'.repeat(126)}_2`);
  });
});

describe('a denied name', () => {
  it('is not held against a choice of another tool that has it', () => {
    const { ruleSet } = compiled({
      tools: [{ filter: { deny: ['a'] } }, { inject: { tool: { type: 'function', name: 'a' } } }],
    });

    expect(applyRules(ruleSet, turnOf(['a']).toolList).denied.has('a')).toBe(false);
  });
});

describe('rules that clash are faults, each with its place', () => {
  it.each<[string, RuleSetSpec, string]>([
    [
      'two targets',
      renames([
        { from: 'a', to: 'x' },
        { from: 'b', to: 'x' },
      ]),
      '/spec/tools/1/rename/to',
    ],
    [
      'two names for one tool',
      renames([
        { from: 'a', to: 'x' },
        { from: 'a', to: 'y' },
      ]),
      '/spec/tools/1/rename/from',
    ],
    [
      'a target that is injected too',
      { tools: [{ inject: { tool: { type: 'function', name: 'x' } } }, { rename: { from: 'a', to: 'x' } }] },
      '/spec/tools/1/rename/to',
    ],
    [
      'an id twice',
      {
        tools: [
          { id: 'r', filter: { deny: ['a'] } },
          { id: 'r', filter: { deny: ['b'] } },
        ],
      },
      '/spec/tools/1/id',
    ],
    [
      'a pattern that is none',
      { tools: [{ filter: { deny: ['a', '/(/'] } }] },
      '/spec/tools/0/filter/deny/1',
    ],
    [
      'a header pattern that is none',
      { match: { headers: { 'x/y': ['/(/'] } } },
      '/spec/match/headers/x~1y/0',
    ],
  ])('%s', (_, spec, pointer) => {
    expect(compiled(spec).faults.map((fault) => fault.pointer)).toEqual([pointer]);
  });

  it('but not one name in two namespaces', () => {
    expect(
      compiled(
        renames([
          { from: 'n.a', to: 'x' },
          { from: 'm.a', to: 'x' },
        ]),
      ).faults,
    ).toEqual([]);
  });
});
