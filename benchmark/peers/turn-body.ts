import { makeTools } from '../scenarios/index.ts';
import type { Api } from './variants.ts';

/** How the answer comes. */
export type Format = 'json' | 'sse';

const QUESTION = 'What will the weather be like in Lisbon tomorrow?';

/** A request of an app with that many tools. */
export function turnBody(toolCount: number, format: Format, api: Api = 'responses'): string {
  const turn = [{ role: 'user', content: QUESTION }];
  const tools = makeTools(toolCount);
  const stream = format === 'sse' ? { stream: true } : {};
  if (api === 'responses') return JSON.stringify({ model: 'gpt-5-mini', input: turn, tools, ...stream });
  const nested = tools.map(({ type, ...definition }) => ({ type, function: definition }));
  return JSON.stringify({ model: 'gpt-5-mini', messages: turn, tools: nested, ...stream });
}
