import { makeTools } from '../scenarios/index.ts';

/** How the answer comes. */
export type Format = 'json' | 'sse';

/** A request of an app with that many tools. */
export function turnBody(toolCount: number, format: Format): string {
  return JSON.stringify({
    model: 'gpt-5-mini',
    input: [{ role: 'user', content: 'What will the weather be like in Lisbon tomorrow?' }],
    tools: makeTools(toolCount),
    ...(format === 'sse' ? { stream: true } : {}),
  });
}
