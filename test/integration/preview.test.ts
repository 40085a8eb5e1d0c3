import { compileText } from '../../proxy/config/index.ts';
import { previewTurn } from '../../proxy/server/index.ts';

const tool = (name: string): string => `{"type":"function","name":"${name}","parameters":{ "n": 1.0 }}`;
const body = `{ "model":"m", "seed":12345678901234567890, "tools":[ ${tool('a')}, ${tool('b')} ], "input":"hi" }`;

function preview(spec: string, headers?: Record<string, string>): ReturnType<typeof previewTurn> {
  const source = `apiVersion: toolroll.dev/v1alpha1\nkind: RuleSet\nmetadata: { name: trial }\nspec: ${spec}\n`;
  const compiled = compileText(source, 'rules');
  expect(compiled.faults).toEqual([]);
  const rules = { ruleSets: compiled.ruleSets, skills: new Map() };
  return previewTurn(body, { endpoint: 'responses', rules, headers });
}

describe('a preview of a turn', () => {
  it('is what the first hop would send, spelling kept', () => {
    const shown = preview('{ tools: [{ filter: { deny: [b] } }] }');
    expect(shown.finalRequest).toBe(
      `{ "model":"m", "seed":12345678901234567890, "tools":[ ${tool('a')} ], "input":"hi" }`,
    );
    expect(shown.originalTools).toBe(`[ ${tool('a')}, ${tool('b')} ]`);
    expect(shown.modifiedTools).toBe(`[ ${tool('a')} ]`);
    expect(shown.plan).toEqual({ name: 'direct', reasons: ['selection_off'], ruleSet: 'trial' });
  });

  it('shows the menu of a rolled-up turn', () => {
    const shown = preview('{ selection: { strategy: two_hop, minTools: 1, minToolTokens: 0 } }');
    expect(shown.plan.name).toBe('two_hop');
    expect(shown.modifiedTools).toContain('"name":"call_tool"');
    expect(shown.modifiedTools).not.toContain(tool('a'));
  });

  it('tries rules that name a catalogue file without needing the file', () => {
    const spec =
      '{ selection: { strategy: two_hop, catalogue: { file: known.json }, minTools: 1, minToolTokens: 0 } }';
    expect(preview(spec).plan).toMatchObject({ name: 'two_hop', ruleSet: 'trial' });
  });

  it('matches rule sets on the headers it is given', () => {
    const spec = '{ match: { headers: { x-team: ["pay*"] } }, tools: [{ filter: { deny: [b] } }] }';
    expect(preview(spec).plan).toEqual({ name: 'bypass', reasons: ['no_rule_set'], ruleSet: null });
    expect(preview(spec, { 'x-team': 'payments' }).plan.name).toBe('direct');
  });

  it('lets what is no turn through untouched', () => {
    expect(
      previewTurn('[1]', { endpoint: 'responses', rules: { ruleSets: [], skills: new Map() } }).plan.reasons,
    ).toEqual(['not_an_object']);
  });
});
