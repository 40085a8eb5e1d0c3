import { chineseQuestions, chineseTools, questions, tools } from '../../benchmark/scenarios/index.ts';
import { startUpstream } from '../../benchmark/upstream/index.ts';
import { ask, closing, field, startWith, twoHops } from './support/index.ts';
import type { Json } from './support/index.ts';

const started = closing();

/** Input tokens of a request that goes straight to the stand-in, which counts with the tokenizer. */
async function countDirect(url: string, body: Json): Promise<number> {
  const answer = await fetch(`${url}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
  });
  return Number(field(await answer.json(), 'usage', 'input_tokens'));
}

describe('tokens_saved_total', () => {
  it.each([
    ['37 tools in English', tools, questions.map(({ question }) => question)],
    ['tools in Chinese', chineseTools, chineseQuestions.map(({ question }) => question)],
  ])(
    "is within 5 %% of the tokenizer's count of direct less all hops, turn by turn: %s",
    async (_, declared, asked) => {
      const upstream = await started(startUpstream());
      const toolroll = await started(startWith({ upstream, spec: twoHops() }));
      let before = 0;
      for (const [index, question] of asked.entries()) {
        const body = { model: 'm-1', input: question, tools: declared, stream: index % 2 === 1 };
        const direct = await countDirect(upstream.url, { ...body, stream: false });

        await ask(toolroll, body);

        const total = await toolroll.metric('toolroll_tokens_saved_total{');
        const used = await toolroll.metric('toolroll_input_tokens_total{model="other",kind="fresh"}');
        const record = field(await toolroll.audit(), 'events', 0);
        const truth = direct - Number(field(record, 'tokens', 'input'));
        expect(used).toBeGreaterThan(0);
        expect(truth).toBeGreaterThan(0);
        expect(Math.abs((total - before) / truth - 1)).toBeLessThan(0.05);
        before = total;
      }
    },
  );
});
