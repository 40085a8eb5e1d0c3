import {
  call,
  closing,
  cut,
  eventsOf,
  field,
  json,
  message,
  openTurn,
  outputOf,
  reset,
  response,
  sse,
  startScript,
  startWith,
  stream,
  turn,
} from './support/index.ts';
import type { Answer, Answered, Received } from './support/index.ts';

const started = closing();

const TURNS = 1000;

/** What becomes of a turn, by its number: a mix of good ones and of every way to go wrong. */
const fates = [
  'good',
  'good stream',
  'good stream',
  'text first',
  'asked again',
  'second hop 500',
  'first hop 429',
  'first hop reset',
  'second hop cut',
  'malformed',
  'app leaves',
] as const;
type Fate = (typeof fates)[number];

const pick = call('call_tool', { names: ['get_w'] });

function fateOf(number: number): Fate {
  return fates[number % fates.length]!;
}

function numberOf({ body }: Received): number {
  return Number(field(body, 'metadata', 'number'));
}

/** The answer of the upstream to one hop of one turn; each turn's answer names the turn. */
function answerTo(request: Received): Answer {
  const number = numberOf(request);
  const isFirst =
    request.bodyText.includes('"call_tool"') && !request.bodyText.includes('function_call_output');
  const isAgain = request.bodyText.includes('function_call_output');
  const own = call('get_w', { city: `city ${String(number)}` }, { id: `fc_${String(number)}` });
  const frames = stream({ id: `resp_${String(number)}`, items: isFirst || isAgain ? [pick] : [own] });
  const fate = fateOf(number);
  switch (fate) {
    case 'good':
      return json(response({ items: isFirst ? [pick] : [own] }));
    case 'good stream':
    case 'app leaves':
      return sse([{ pauseMs: number % 7 }, frames.join('')]);
    case 'text first':
      return sse(isFirst ? stream({ items: [message('Hm.'), pick] }) : frames);
    case 'asked again':
      return sse(isFirst ? stream({ items: [call('call_tool', { names: ['no'] })] }) : frames);
    case 'second hop 500':
      return isFirst ? sse(frames) : json({ error: { message: 'boom' } }, { status: 500 });
    case 'first hop 429':
      return json({ error: { message: 'slow' } }, { status: 429 });
    case 'first hop reset':
      return { before: [reset], steps: [] };
    case 'second hop cut':
      return isFirst ? sse(frames) : sse([...frames.slice(0, 3), cut]);
    case 'malformed':
      return json('{"id"');
    default:
      return fate satisfies never;
  }
}

/** What the app must have got by then, for its fate; undefined if it is as it should be. */
function wrongWith(number: number, { status, text, whole }: Answered): string | undefined {
  const fate = fateOf(number);
  const ends = text.includes('event:') ? eventsOf(text).at(-1)?.type : undefined;
  const isOwn = (): boolean => JSON.stringify(outputOf(eventsOf(text))).includes(`city ${String(number)}`);
  const isRight = ((): boolean => {
    switch (fate) {
      case 'good':
        return status === 200 && text.includes(`city ${String(number)}`);
      case 'good stream':
      case 'text first':
      case 'asked again':
        return status === 200 && ends === 'response.completed' && isOwn();
      case 'second hop 500':
        return status === 500;
      case 'first hop 429':
        return status === 429;
      case 'first hop reset':
      case 'malformed':
        return status === 502;
      case 'second hop cut':
        return status === 200 && ends === 'response.failed';
      case 'app leaves':
        return true;
      default:
        return fate satisfies never;
    }
  })();
  return isRight && whole ? undefined : `${String(number)} ${fate}: ${String(status)} ${text.slice(0, 300)}`;
}

it('a thousand turns at once, many of them failing, each end as they should and leave nothing behind', async () => {
  const upstream = await started(startScript(answerTo));
  const toolroll = await started(startWith({ upstream, options: { firstByteTimeoutSeconds: 60 } }));

  const wrong = await Promise.all(
    Array.from({ length: TURNS }, async (_, number) => {
      const isStream = !['good', 'malformed'].includes(fateOf(number));
      const open = openTurn(toolroll, turn({ stream: isStream, metadata: { number: String(number) } }));
      if (fateOf(number) !== 'app leaves') return wrongWith(number, await open.ended);
      open.ended.catch(() => undefined);
      setTimeout(open.leave, number % 50);
      return undefined;
    }),
  );

  expect(wrong.filter((text) => text !== undefined)).toEqual([]);
  // Every turn that came in is counted, once each.
  const outcomes = ['ok', 'upstream_error', 'failed', 'client_closed', 'refused'];
  const counts = await Promise.all(
    outcomes.map(async (outcome) =>
      toolroll.metric(`toolroll_turns_total{protocol="responses",plan="two_hop",outcome="${outcome}"}`),
    ),
  );
  const leavers = Array.from({ length: TURNS }, (_, number) => number).filter(
    (number) => fateOf(number) === 'app leaves',
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  expect(total).toBeGreaterThanOrEqual(TURNS - leavers.length);
  expect(total).toBeLessThanOrEqual(TURNS);
  expect(toolroll.logLines.filter(({ event }) => event === 'turn_failed')).toEqual([]);
}, 120_000);
