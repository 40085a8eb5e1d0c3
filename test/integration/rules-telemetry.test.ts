import { inWords, rules } from './rules-setup.ts';
import {
  ask,
  call,
  closing,
  json,
  message,
  response,
  startScript,
  startWith,
  tool,
  turn,
  twoHops,
} from './support/index.ts';
import type { RunningToolroll } from './support/index.ts';

const started = closing();

async function metrics({ controlUrl }: RunningToolroll): Promise<string> {
  return (await fetch(`${controlUrl}/metrics`, { headers: { connection: 'close' } })).text();
}

/** The series of Toolroll's own, without their values. */
function seriesIn(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('toolroll_'))
    .map((line) => line.slice(0, line.lastIndexOf(' ')));
}

describe('metrics (G1)', () => {
  it('have the same series after 1,000 models, tools and paths as before', async () => {
    const upstream = await started(
      startScript((_, index) => (index % 3 === 2 ? json({}, { status: 404 }) : inWords)),
    );
    const spec = twoHops(
      {},
      { match: { models: ['m-1', 'gpt-*'] }, ...rules({ filter: { deny: ['del_*'] } }) },
    );
    const toolroll = await started(startWith({ upstream, spec }));
    await ask(toolroll, turn());
    const before = seriesIn(await metrics(toolroll));

    const junk = Array.from({ length: 1_000 }, (_, index) => `junk-${String(index)}`);
    for (let at = 0; at < junk.length; at += 50) {
      await Promise.all(
        junk
          .slice(at, at + 50)
          .map((name, index) =>
            index % 2 === 0
              ? ask(
                  toolroll,
                  turn({ model: `gpt-${name}`, tools: [tool(`del_${name}`), tool(name), tool(`b${name}`)] }),
                )
              : ask(toolroll, '{}', { path: `/v1/${name}` }),
          ),
      );
    }

    const text = await metrics(toolroll);
    expect(text).not.toContain('junk');
    // A status that came up for the first time may add a series of its closed list.
    const added = seriesIn(text).filter((series) => !before.includes(series));
    expect(added.length).toBeLessThan(5);
    expect(await toolroll.metric('toolroll_input_tokens_total{model="other",kind="fresh"}')).toBeGreaterThan(
      0,
    );
    expect(text).not.toMatch(/NaN|undefined/);
  }, 60_000);
});

describe('keys (G4)', () => {
  const secrets = ['sk-short', 'k1-azure', 'cookie-value', 'org-secret', 'up-key-1'];
  const headers = {
    authorization: `Bearer ${secrets[0] ?? ''}`,
    'api-key': secrets[1] ?? '',
    cookie: `session=${secrets[2] ?? ''}`,
    'x-api-key': secrets[3] ?? '',
  };

  it.each([
    [
      'a 500 that echoes the headers',
      json({ error: { message: `bad headers: ${JSON.stringify(headers)}` } }, { status: 500 }),
    ],
    ['a good answer that says them', json(response({ items: [message(secrets.join(' '))] }))],
    ['a call that names them', json(response({ items: [call(`x ${secrets.join(' ')}`, {})] }))],
    ['an answer that cannot be read', json(`[${JSON.stringify(secrets)}`)],
    ['a connection that breaks', { steps: [{ end: 'reset' as const }], before: [{ end: 'reset' as const }] }],
  ])('are found in no log, audit record or metric: %s', async (_, answer) => {
    const upstream = await started(startScript(() => answer));
    const toolroll = await started(
      startWith({
        upstream,
        spec: twoHops(),
        options: { logLevel: 'trace', upstreamApiKey: secrets[4] ?? '' },
      }),
    );

    // Answered or not: what is kept of it is what matters.
    await ask(toolroll, turn(), { headers }).catch(() => undefined);
    await ask(toolroll, turn({ stream: true, tools: undefined }), { headers }).catch(() => undefined);

    const kept = [
      JSON.stringify(toolroll.logLines),
      JSON.stringify(await toolroll.audit()),
      await metrics(toolroll),
    ];
    expect(kept[1]).toContain('"hops"');
    for (const text of kept) for (const secret of secrets) expect(text).not.toContain(secret);
  });
});
