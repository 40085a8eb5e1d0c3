/** Nothing is measured that does not do what it is measured for. */
import type { Connection } from '../load/index.ts';
import type { Format } from './turn-body.ts';
import type { Api, Variant } from './variants.ts';

/** What one answer has to look like. */
export interface Checked {
  readonly variant: Variant;
  readonly url: string;
  readonly body: string;
  readonly format: Format;
  readonly api: Api;
}

/**
 * Sends one request and looks at the answer: the plan, the tool called under the app's name, the app's tools echoed.
 *
 * @returns the length of the answer
 * @throws Error if anything is not as it should be
 */
export async function checkVariant(connection: Connection, checked: Checked): Promise<number> {
  const { variant, url, body, format, api } = checked;
  const answer = await connection.send(url, body);
  const found = {
    status: answer.status,
    plan: answer.headers['x-toolroll-plan'],
    ...(api === 'chat' ? readChat(answer.text, body) : readResponses(answer.text, format)),
  };
  const wanted = {
    status: 200,
    plan: variant.plan,
    called: 'get_weather_forecast',
    tools: JSON.stringify(fieldOf(JSON.parse(body), 'tools')),
  };
  for (const field of ['status', 'plan', 'called', 'tools'] as const) {
    if (found[field] === wanted[field]) continue;
    const said = JSON.stringify([found[field], wanted[field]]).slice(0, 500);
    throw new Error(`${variant.title} does not do what it should: ${field} is and should be ${said}`);
  }
  return answer.text.length;
}

/** The name of the tool called; chat completions echo no tools, so those of the request stand for them. */
function readChat(text: string, body: string): { called: string | undefined; tools: string } {
  const called = /"function":\{"name":"(\w+)"/.exec(text)?.[1];
  return { called, tools: JSON.stringify(fieldOf(JSON.parse(body), 'tools')) };
}

function readResponses(text: string, format: Format): { called: unknown; tools: string } {
  return readResponse(JSON.parse(format === 'json' ? text : lastEvent(text)));
}

function lastEvent(stream: string): string {
  const data = stream.trimEnd().split('\n').at(-1)?.slice('data: '.length) ?? 'null';
  return JSON.stringify(fieldOf(JSON.parse(data), 'response'));
}

function readResponse(response: unknown): { called: unknown; tools: string } {
  const output = fieldOf(response, 'output');
  const items: readonly unknown[] = Array.isArray(output) ? output : [];
  const call = items.find((item) => fieldOf(item, 'type') === 'function_call');
  return { called: fieldOf(call, 'name'), tools: JSON.stringify(fieldOf(response, 'tools')) };
}

function fieldOf(value: unknown, name: string): unknown {
  // An object from JSON has string keys.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
