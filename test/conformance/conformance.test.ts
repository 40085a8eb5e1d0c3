import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatTurn } from '../integration/support/chat-wire.ts';
import { ask, closing, startScript, startWith, turn, twoHops } from '../integration/support/index.ts';
import type { Json } from '../integration/support/index.ts';
import { cases } from './cases.ts';
import type { Case, Meta } from './cases.ts';
import { hear } from './heard.ts';
import { wire } from './words.ts';
import type { Combination } from './words.ts';

const started = closing();
const paths = { responses: '/v1/responses', chat: '/v1/chat/completions' };
let skillsDir = '';

beforeAll(async () => {
  skillsDir = await mkdtemp(join(tmpdir(), 'toolroll-skills-'));
  for (const name of ['release', 'review']) {
    await mkdir(join(skillsDir, name));
    await writeFile(
      join(skillsDir, name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: How we ${name}.\n---\nThe ${name} handbook.\n`,
    );
  }
});

afterAll(async () => {
  await rm(skillsDir, { recursive: true });
});

const combinations: readonly Combination[] = (['responses', 'chat'] as const).flatMap((protocol) =>
  (['native', 'text'] as const).flatMap((transport) =>
    (['json', 'stream'] as const).map((format) => ({ protocol, transport, format })),
  ),
);

function specOf(meta: Meta, { transport }: Combination): Json {
  return {
    ...(meta === 'call_tool' || meta === 'both' ? twoHops() : {}),
    ...(meta === 'Skill' || meta === 'both' ? { skills: {} } : {}),
    ...(transport === 'text' ? { textTools: { models: ['m-*'] } } : {}),
    // Something to rewrite, so that no turn passes through as it came.
    tools: [{ override: { name: 'send_mail', description: 'Sends a mail.' } }],
  };
}

const table = (Object.keys(cases) as Meta[]).flatMap((meta) =>
  combinations.flatMap((combination) => cases[meta].map((row) => ({ meta, combination, row }))),
);

describe.each(table)(
  '$combination.protocol, $combination.transport tools, $meta, $combination.format',
  ({ meta, combination, row }) => {
    const reason = row.skip?.(combination);
    const run = reason === undefined ? it : it.skip;
    run(reason === undefined ? row.name : `${row.name} (${reason})`, async () => {
      await play(meta, combination, row);
    });
  },
);

async function play(
  meta: Meta,
  combination: Combination,
  { hops, heard, wordsSent = '' }: Case,
): Promise<void> {
  const upstream = await started(startScript(hops.map((hop, index) => wire(hop, combination, index))));
  const toolroll = await started(
    startWith({ upstream, spec: specOf(meta, combination), options: { skillsDir } }),
  );
  const body = combination.protocol === 'chat' ? chatTurn() : turn();
  const stream = combination.format === 'stream' ? { stream: true } : {};
  const answer = await ask(toolroll, { ...body, ...stream }, { path: paths[combination.protocol] });
  expect({ hops: upstream.requests.length, ...pickKeys(hear(answer, combination), heard) }).toEqual({
    hops: hops.length,
    ...heard,
  });
  expect(answer.text).not.toContain('call_tool');
  expect(upstream.requests.at(-1)?.bodyText).toContain(wordsSent);
  if (combination.transport === 'text')
    for (const { body: sent } of upstream.requests) expect(sent).not.toHaveProperty('tools');
}

function pickKeys<T extends object>(value: T, like: Partial<T>): Partial<T> {
  const keys = Object.keys(like);
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key))) as Partial<T>;
}
