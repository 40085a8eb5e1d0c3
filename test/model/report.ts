/** What is printed. */
import type { Target } from './client.ts';
import type { ServerTraits } from './probe.ts';
import type { TurnResult } from './run-turn.ts';
import type { Answer } from './talk.ts';

const headLength = 72;

/** Which server this is, how it is read, and what is not run. */
export function heading({ baseUrl, model }: Target, traits: ServerTraits): readonly string[] {
  const apis = (['chat', 'responses'] as const).flatMap((name) => {
    const api = traits[name];
    if (api === undefined) return [`  ${name}: the server does not answer it; not run`];
    return [
      api.streamReader === 'helper'
        ? `  ${name}: streams are read with the openai client's stream()`
        : `  ${name}: streams are read event by event, since the client's stream() cannot read the server's own`,
      ...(api.takesToolHistory
        ? []
        : [`  ${name}: the server takes no calls in conversations; what needs them natively is not run`]),
      ...(api.takesSecondSystem ? [] : [`  ${name}: one system message only; tools are told at its end`]),
    ];
  });
  return [`${model} at ${baseUrl}`, ...apis, ''];
}

/** One line for a turn, and one for each thing to say of it. */
export function resultLines(label: string, result: TurnResult): readonly string[] {
  const { faults, notes, answer, hops, promptTokens, seconds } = result;
  const line = [
    faults.length === 0 ? 'ok  ' : 'FAIL',
    label,
    `${String(hops.length)} ${hops.length === 1 ? 'hop ' : 'hops'}`,
    `${promptTokens} prompt tokens`.padStart(20),
    `${seconds.toFixed(1)} s`.padStart(7),
    said(answer),
  ];
  return [
    line.join('  '),
    ...(hops.length > 1 ? [`        hops: ${hops.join(', ')}`] : []),
    ...faults.map((fault) => `      - ${fault}`),
    ...notes.map((note) => `      (${note})`),
  ];
}

function said(answer: Answer | undefined): string {
  if (answer === undefined) return 'nothing that can be read';
  const calls = answer.calls.map(({ name, arguments: text }) => `${name}(${head(text)})`);
  const text = answer.text === '' ? [] : [JSON.stringify(head(answer.text))];
  return `${[...text, ...calls].join(' + ') || 'nothing'} [${answer.end}]`;
}

/** The beginning, on one line. */
function head(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= headLength ? line : `${line.slice(0, headLength)}…`;
}
