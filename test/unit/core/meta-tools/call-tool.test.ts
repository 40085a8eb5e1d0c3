import { createCallTool } from '../../../../proxy/core/meta-tools/index.ts';

const menu = ['get_weather', 'send_mail', ' padded ', 'ns.lookup'].map((key) => ({ key, summary: '' }));
const callTool = createCallTool('call_tool', menu);

describe('call_tool', () => {
  it.each([
    [
      'names of the menu, in the order asked for',
      { names: ['send_mail', 'get_weather'] },
      ['send_mail', 'get_weather'],
    ],
    ['a name once', { names: ['send_mail', 'send_mail'] }, ['send_mail']],
    ['a name with blanks around it', { names: ['\tsend_mail '] }, ['send_mail']],
    ['a name that has blanks of its own', { names: [' padded '] }, [' padded ']],
    ['one name for a list', { names: 'ns.lookup' }, ['ns.lookup']],
    ['the known ones of several', { names: ['nope', 5, null, 'send_mail'] }, ['send_mail']],
  ])('reveals %s', (_, args, keys) => {
    expect(callTool.resolve(JSON.stringify(args))).toEqual({ kind: 'reveal', keys });
  });

  it.each([
    ['', 'The arguments could not be read.'],
    ['{"names":["send_mail"', 'The arguments could not be read.'],
    ['"send_mail"', 'The arguments could not be read.'],
    ['{"name":"send_mail"}', 'The arguments could not be read.'],
    ['{"names":[]}', 'No name was given.'],
    ['{"names":["send_mial"]}', 'There is no tool "send_mial". The closest names: send_mail, '],
    ['{"names":["__proto__"]}', 'There is no tool "__proto__".'],
  ])('answers %s with what to do', (args, text) => {
    const resolution = callTool.resolve(args);

    expect(resolution.kind).toBe('answer');
    expect(resolution.kind === 'answer' && resolution.text).toContain(text);
  });

  it('compares no more than a name can be long, and eight names', () => {
    const names = Array.from({ length: 1_000 }, () => 'x'.repeat(100_000));
    const resolution = callTool.resolve(JSON.stringify({ names }));

    expect(resolution.kind === 'answer' && resolution.text.length).toBeLessThan(3_000);
  });
});
