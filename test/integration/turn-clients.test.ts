import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool as agentTool } from '@openai/agents';
import OpenAI from 'openai';
import { questions, tools } from '../../benchmark/scenarios/index.ts';
import { startUpstream } from '../../benchmark/upstream/index.ts';
import type { Upstream } from '../../benchmark/upstream/index.ts';
import { closing, startWith, twoHops } from './support/index.ts';
import type { Json, RunningToolroll } from './support/index.ts';

const started = closing();

const spec = { match: { models: ['gpt-*'] }, ...twoHops() };
const asked = questions.slice(0, 4);

interface Ways {
  readonly upstream: Upstream;
  readonly toolroll: RunningToolroll;
  readonly direct: OpenAI;
  readonly through: OpenAI;
}

async function bothWays(fault?: string): Promise<Ways> {
  const upstream = await started(startUpstream());
  const toolroll = await started(startWith({ upstream, spec }));
  const client = (baseURL: string): OpenAI =>
    new OpenAI({
      apiKey: 'sk-test',
      baseURL,
      maxRetries: 0,
      ...(fault === undefined ? {} : { defaultHeaders: { 'x-stand-in-fault': fault } }),
    });
  return { upstream, toolroll, direct: client(upstream.url), through: client(`${toolroll.proxyUrl}/v1`) };
}

function requestFor(question: string) {
  return {
    model: 'gpt-5-mini',
    input: question,
    tools: tools.map(({ parameters, ...rest }) => ({ ...rest, parameters: { ...parameters } })),
  };
}

/** What an app makes of an answer: which tools with which arguments, which words, how it ended. */
function meaningOf(answer: OpenAI.Responses.Response): Json {
  return {
    status: answer.status,
    text: answer.output_text,
    calls: answer.output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ name: item.name, arguments: JSON.parse(item.arguments) as unknown }]
        : [],
    ),
    tools: answer.tools,
  };
}

describe('the official client: openai', () => {
  it.each(asked.map(({ question, tool }) => [tool, question]))(
    'JSON: calls %s as it does directly',
    async (tool, question) => {
      const { direct, through } = await bothWays();

      const [wanted, got] = await Promise.all(
        [direct, through].map(async (client) => client.responses.create(requestFor(question))),
      );

      expect(meaningOf(got!)).toEqual(meaningOf(wanted!));
      expect(meaningOf(got!)['calls']).toMatchObject([{ name: tool }]);
    },
  );

  it.each(asked.map(({ question, tool }) => [tool, question]))(
    'stream() with finalResponse(): calls %s as it does directly',
    async (_, question) => {
      const { direct, through } = await bothWays();

      const [wanted, got] = await Promise.all(
        [direct, through].map(async (client) => {
          const stream = client.responses.stream(requestFor(question));
          const types: string[] = [];
          for await (const { type } of stream) types.push(type);
          return { types, final: await stream.finalResponse() };
        }),
      );

      expect(got?.types).toEqual(wanted?.types);
      expect(meaningOf(got!.final)).toEqual(meaningOf(wanted!.final));
    },
  );

  it.each([
    'text_first',
    'mixed_calls',
    'mixed_calls;first=yes',
    'unseen_call;hop=1',
    'wrong_picks;round=1',
    'interleave',
    'two_picks',
    'crlf',
    'no_event_lines',
    'keepalive',
  ])('stream() accepts the joined stream of a model that does this: %s', async (fault) => {
    const { through } = await bothWays(fault);

    const stream = through.responses.stream(requestFor(asked[0]!.question));
    const final = await stream.finalResponse();

    expect(final.status).toBe('completed');
    expect(JSON.stringify(final)).not.toContain('call_tool');
    expect(final.output.some((item) => item.type === 'function_call' && item.name === asked[0]!.tool)).toBe(
      true,
    );
  });

  it('goes on with the tool’s output by previous_response_id', async () => {
    const { through } = await bothWays();
    const request = requestFor(asked[0]!.question);

    const first = await through.responses.create(request);
    const called = first.output.find((item) => item.type === 'function_call');
    const second = await through.responses.create({
      ...request,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: called!.call_id, output: 'Sunny, 21 degrees.' }],
    });

    expect(second.status).toBe('completed');
    expect(second.output_text).not.toBe('');
  });

  it('sees an error of the second hop as the error it is', async () => {
    const { through } = await bothWays('rate_limit;hop=2;retry_after=7');

    const failing = through.responses.create(requestFor(asked[0]!.question));

    await expect(failing).rejects.toMatchObject({ status: 429 });
    await expect(failing).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });

  it('sees a stream that breaks off as an error', async () => {
    const { through } = await bothWays('cut;hop=2;event=6');

    const seen: string[] = [];
    const reading = async (): Promise<void> => {
      const stream = await through.responses.create({ ...requestFor(asked[0]!.question), stream: true });
      for await (const { type } of stream) seen.push(type);
    };

    await expect(reading()).rejects.toThrow(/closed the connection/);
    expect(seen[0]).toBe('response.created');
  });
});

describe('the official client: @openai/agents', () => {
  beforeAll(() => {
    setTracingDisabled(true);
  });

  /** Runs an agent whose tools answer with their own names, and gives what was called and what it said. */
  async function runAgent(client: OpenAI, question: string, isStream: boolean) {
    const calls: Json[] = [];
    const agent = new Agent({
      name: 'Helper',
      model: 'gpt-5-mini',
      tools: tools.map(({ name, description, parameters }) =>
        agentTool({
          name,
          description,
          parameters: { ...parameters, additionalProperties: true } as never,
          strict: false,
          execute: (input: unknown) => {
            calls.push({ name, input });
            return `${name} is done.`;
          },
        }),
      ),
    });
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: client as never }) });
    if (!isStream) return { calls, said: (await runner.run(agent, question)).finalOutput };
    const streamed = await runner.run(agent, question, { stream: true });
    const events: string[] = [];
    for await (const { type } of streamed) events.push(type);
    expect(events).not.toEqual([]);
    await streamed.completed;
    return { calls, said: streamed.finalOutput };
  }

  it.each([
    ['JSON', false],
    ['a stream', true],
  ])('runs a whole conversation over %s as it does directly', async (_, isStream) => {
    const { direct, through, upstream } = await bothWays();
    const { question, tool } = asked[0]!;

    const wanted = await runAgent(direct, question, isStream);
    const before = upstream.requests.length;
    const got = await runAgent(through, question, isStream);

    expect(got).toEqual(wanted);
    expect(got.calls).toMatchObject([{ name: tool }]);
    // Two hops for the call; then its tool is known, and one hop says the answer.
    expect(upstream.requests.length - before).toBe(before + 1);
  });
});
