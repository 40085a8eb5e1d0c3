import type { Json } from './json.ts';

/** A function tool with one string argument; the weather tool `get_w` of the field cases takes `city`. */
export function tool(name: string, rest: Json = {}): Json {
  return {
    type: 'function',
    name,
    description: `Does what ${name} says.`,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    ...rest,
  };
}

/** Six tools, `get_w` among them: more than the least that is rolled up. */
export function tools(...extra: readonly Json[]): Json[] {
  return [
    ...['get_w', 'send_mail', 'find_file', 'add_event', 'play_song'].map((name) => tool(name)),
    ...extra,
  ];
}

/** The body of a turn: a question and {@link tools}, and what the test adds or replaces. `undefined` leaves a field out. */
export function turn(fields: Json = {}): Json {
  return { model: 'm-1', input: 'How is the weather in Rome?', tools: tools(), ...fields };
}
