import { startUpstream } from '../../benchmark/upstream/index.ts';
import { closing } from '../integration/support/closing.ts';
import { readOptions } from './options.ts';
import { runAll } from './run-all.ts';
import { chatJsonFaults, chatStreamFaults } from './wire-chat.ts';
import { responsesJsonFaults, responsesStreamFaults } from './wire-responses.ts';

const started = closing();

function frames(...events: readonly (object | '[DONE]')[]): string {
  return events.map((event) => `data: ${event === '[DONE]' ? event : JSON.stringify(event)}\n\n`).join('');
}

const call = { id: 'call_1', type: 'function', function: { name: 'get_w', arguments: '{"city":"Rome"}' } };

function completion(message: object, finish: string): string {
  const choices = [
    { index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish },
  ];
  return JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', choices });
}

function chunk(delta: object, finish: string | null = null): object {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices };
}

const opening = chunk({ role: 'assistant', content: 'Hi' });
const ending = chunk({}, 'stop');

describe('what is wrong with a chat answer', () => {
  it('is nothing where it is right', () => {
    expect(chatJsonFaults(completion({ tool_calls: [call] }, 'tool_calls'))).toEqual([]);
    expect(chatStreamFaults(frames(opening, ending, '[DONE]'), { wantsUsage: false })).toEqual([]);
  });

  it.each([
    ['a wrong reason', completion({ tool_calls: [call] }, 'stop'), 'finish_reason is stop with 1 calls'],
    ['one id twice', completion({ tool_calls: [call, call] }, 'tool_calls'), 'call ids ["call_1"]'],
    ['a wrong role', completion({ role: 'tool', content: 'Hi' }, 'stop'), 'role is "tool"'],
    [
      'broken arguments',
      completion({ tool_calls: [{ ...call, function: { name: 'f', arguments: '{' } }] }, 'tool_calls'),
      'the arguments of f are no JSON: {',
    ],
  ])('is told of a whole one: %s', (_, body, fault) => {
    expect(chatJsonFaults(body)).toEqual([fault]);
  });

  it.each([
    ['no end', frames(opening, ending), '0 times [DONE]'],
    ['two ends', frames(opening, ending, '[DONE]', '[DONE]'), '2 times [DONE]'],
    ['two roles', frames(opening, opening, ending, '[DONE]'), '2 times role'],
    ['two reasons', frames(opening, ending, ending, '[DONE]'), '2 times finish_reason'],
    ['another id', frames(opening, { ...ending, id: 'other' }, '[DONE]'), 'chunk ids "chatcmpl-1" "other"'],
    [
      'usage unasked',
      frames(opening, ending, { ...ending, choices: [] }, '[DONE]'),
      'a chunk without a choice',
    ],
  ])('is told of a stream: %s', (_, text, fault) => {
    expect(chatStreamFaults(text, { wantsUsage: false })).toContain(fault);
  });
});

describe('what is wrong with an answer of the Responses API', () => {
  const message = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Hi' }],
  };
  const response = { id: 'resp_1', object: 'response', status: 'completed', output: [message] };
  const created = { type: 'response.created', response: { id: 'resp_1' } };
  const added = { type: 'response.output_item.added', item: { id: 'msg_1' } };
  const delta = { type: 'response.output_text.delta', delta: 'Hi' };
  const done = { type: 'response.output_item.done', item: { id: 'msg_1' } };
  const completed = { type: 'response.completed', response };

  it('is nothing where it is right', () => {
    expect(responsesJsonFaults(JSON.stringify(response))).toEqual([]);
    expect(responsesStreamFaults(frames(created, added, delta, done, completed))).toEqual([]);
  });

  it('is told of a whole one: an error in it', () => {
    const body = JSON.stringify({ ...response, error: { code: 'x' } });

    expect(responsesJsonFaults(body)).toEqual(['error {"code":"x"}']);
  });

  it.each([
    ['no end', frames(created, added, delta, done), '0 terminal events'],
    ['two ends', frames(created, added, delta, done, completed, completed), '2 terminal events'],
    ['lost text', frames(created, added, done, completed), 'streamed "", ended with "Hi"'],
    [
      'a gap',
      frames({ ...created, sequence_number: 0 }, { ...added, sequence_number: 2 }, delta, done, completed),
      'event 1 has sequence_number 2',
    ],
    [
      'another id',
      frames({ type: 'response.created', response: { id: 'resp_0' } }, added, delta, done, completed),
      'response ids resp_0 resp_1',
    ],
    [
      'a lost item',
      frames(created, delta, done, completed),
      'response.output_item.added of [], ended with [msg_1]',
    ],
  ])('is told of a stream: %s', (_, text, fault) => {
    expect(responsesStreamFaults(text)).toContain(fault);
  });
});

describe('the options', () => {
  it('take a base URL without the slash at its end', () => {
    expect(readOptions(['--base-url', 'http://127.0.0.1:8091/v1/'])).toMatchObject({
      baseUrl: 'http://127.0.0.1:8091/v1',
      textFormat: 'any',
      timeoutSeconds: 300,
    });
  });

  it.each([
    [[], /--base-url must be given/],
    [['--base-url', 'http://h/v1', '--text-format', 'yaml'], /must be xml, json or any/],
    [['--base-url', 'http://h/v1', '--timeout-seconds', '0'], /a number above 0/],
  ])('refuse %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});

describe('the run', () => {
  it.each(['gpt-5-mini', 'text-mini'])('passes against the stand-in upstream with %s', async (model) => {
    const upstream = await started(startUpstream());
    const lines: string[] = [];
    const options = {
      baseUrl: upstream.url,
      model,
      textFormat: 'any',
      timeoutSeconds: 20,
      only: 'stream',
    } as const;

    const passed = await runAll(options, (line) => lines.push(line));

    expect(lines.filter((line) => line.startsWith('FAIL'))).toEqual([]);
    expect(lines.at(-1)).toMatch(/^\n[1-9]\d+ passed, 0 failed$/);
    expect(passed).toBe(true);
  });

  it('says in one line that a server cannot be reached', async () => {
    const upstream = await startUpstream();
    await upstream.close();
    const options = readOptions(['--base-url', upstream.url]);
    if (options === 'help') throw new TypeError('no help was asked for');

    await expect(runAll(options, () => undefined)).rejects.toThrow(/^\S+ cannot be reached: .+$/);
  });
});
