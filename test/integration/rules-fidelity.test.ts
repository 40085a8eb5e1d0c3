import { passTurn, rules } from './rules-setup.ts';
import { ask, closing, json, sse, startScript, startWith, twoHops } from './support/index.ts';

const started = closing();

/** JSON that a server which reads and writes it again would change. */
const delicate: readonly (readonly [string, string])[] = [
  ['a whole number beyond 2^53', '"n":12345678901234567890'],
  ['a fraction of zero', '"n":1.0'],
  ['an exponent', '"n":1e5'],
  ['a negative zero', '"n":-0'],
  ['a lone surrogate', String.raw`"n":"\ud83d"`],
  ['an escaped letter', String.raw`"n":"\u00e9"`],
  ['the same letter written out', '"n":"é"'],
  ['an escaped slash', String.raw`"n":"\/"`],
  ['keys out of order', '"n":{"b":1,"a":2,"1":3}'],
  ['spacing', '"n" :\t[ 1 ,\n 2 ]'],
  ['an explicit null', '"n":null'],
  ['an unknown field', '"n":{"deep":[{"x":{}}]}'],
  ['a key twice', '"n":1,"n":2'],
  ['a key with an escape', String.raw`"\u006e":"n"`],
  ['a prototype', '"__proto__":{"n":1},"constructor":0'],
  ['deep nesting', `"n":${'['.repeat(5_000)}${']'.repeat(5_000)}`],
];

describe('a request that a rule rewrites', () => {
  it.each(delicate)('keeps %s: at the top, in a tool, in an item', async (_, part) => {
    const before = `{ ${part},"model":"m-1","tools":[{"type":"function",${part},"name":"a","description":"`;
    const after = `" ,"parameters":{${part}}} , {"type":"web_search",${part}}],"input":[{"role":"user",${part},"content":"hi"}], "metadata":{${part}} }`;

    const { sent } = await passTurn(started, {
      spec: rules({ override: { name: 'a', description: 'new' } }),
      body: `${before}old${after}`,
    });

    expect(sent).toEqual([`${before}new${after}`]);
  });

  it.each(delicate)(
    'keeps %s on both hops, in what is around the tools and in the picked one',
    async (_, part) => {
      const picked = `{"type":"function",${part},"name":"a","parameters":{${part}}}`;
      const other = `{ "type":"function","name":"b",${part} }`;
      const before = `{${part}, "model":"m-1", "tools":`;
      const after = `,"input":[ {"role":"user",${part},"content":"hi"} ],${part} }`;
      const call = (name: string, args: string): string =>
        `{"id":"r","output":[{"type":"function_call","id":"f","call_id":"c","name":"${name}","arguments":${JSON.stringify(args)}}]}`;

      const { sent } = await passTurn(started, {
        spec: twoHops(),
        body: `${before}[${picked},${other}]${after}`,
        script: [json(call('call_tool', '{"names":["a"]}')), json(call('a', '{}'))],
      });

      expect(sent).toHaveLength(2);
      expect(sent[0]?.startsWith(before)).toBe(true);
      expect(sent[0]?.endsWith(after)).toBe(true);
      expect(sent[1]).toBe(`${before}[${picked}]${after}`);
    },
  );
});

describe('an answer that a rename rewrites', () => {
  const spec = rules({ rename: { from: 'a', to: 'b' } });
  const tool = '{"type":"function","name":"a"}';
  const body = (rest: string): string => `{"model":"m-1","input":"hi","tools":[ ${tool} ]${rest}}`;

  it.each(delicate)('keeps %s: at the top, in the call, in what is echoed', async (_, part) => {
    const text = (name: string, tools: string): string =>
      `{ ${part},"id":"r","output":[{"type":"function_call",${part},"id":"f","call_id":"c","name":"${name}","arguments":"{}"},` +
      `{"type":"reasoning",${part}}] ,"tools":${tools},"tool_choice":"auto","usage":{${part}} }`;

    const { answer } = await passTurn(started, {
      spec,
      body: body(''),
      script: [json(text('b', '[{"type":"function","name":"b"}]'))],
    });

    expect(answer.text).toBe(text('a', `[ ${tool} ]`));
  });

  // A line of data cannot hold a line break.
  it.each(delicate.filter(([, part]) => !part.includes('\n')))('keeps %s in every event', async (_, part) => {
    const item = (name: string): string =>
      `{"type":"function_call",${part},"id":"f","call_id":"c","name":"${name}","arguments":"{}"}`;
    const events = (name: string): string[] =>
      [
        `{"type":"response.created",${part},"sequence_number":0,"response":{"id":"r",${part},"output":[]}}`,
        `{"type":"response.output_item.added","sequence_number":1, "output_index":0,"item":${item(name)},${part}}`,
        `{"type":"response.wonder",${part},"sequence_number":2}`,
        `{"type":"response.output_item.done","sequence_number":3,"output_index":0,"item":${item(name)}}`,
        `{"type":"response.completed","sequence_number":4,"response":{"id":"r",${part},"status":"completed","output":[${item(name)}]}}`,
      ].map((data) => `event: ${/"type":"([^"]+)"/.exec(data)?.[1] ?? ''}\ndata: ${data}\n\n`);

    const { answer } = await passTurn(started, {
      spec,
      body: body(',"stream":true'),
      script: [sse(events('b'))],
    });

    expect(answer.text).toBe(events('a').join(''));
  });
});

describe('a request that nothing changes', () => {
  it.each([
    ['no rule set matches', { match: { models: ['other'] } }],
    ['the rule set is off', { mode: 'off', tools: [{ filter: { deny: ['a'] } }] }],
    [
      'no rule meets a tool',
      { tools: [{ filter: { deny: ['nothing'] } }, { trim: { descriptionChars: 500 } }] },
    ],
    ['the tools are too few to roll up', twoHops({ minTools: 50 })],
  ])('reaches the upstream as the very bytes, and the answer the app, where %s', async (_, spec) => {
    const bytes = Buffer.from(
      `\r\n { ${delicate.map(([, part]) => part).join(' ,')},\t"model":"m-1","tools":[{"type":"function","name":"a"}]}\n`,
    );
    const upstream = await started(
      startScript([json('{ "id" : "r",  "n":1.0 }', { headers: { 'x-Odd': 'é' } })]),
    );
    const toolroll = await started(startWith({ upstream, spec }));

    const answer = await ask(toolroll, bytes, {
      headers: { 'content-type': 'application/json;charset=utf-8', 'X-Odd-Header': 'a  b', 'x-empty': '' },
    });

    expect(upstream.requests[0]?.bodyText).toBe(bytes.toString());
    expect(upstream.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json;charset=utf-8',
      'x-odd-header': 'a  b',
      'x-empty': '',
      'content-length': String(bytes.byteLength),
    });
    expect(answer.text).toBe('{ "id" : "r",  "n":1.0 }');
  });
});
