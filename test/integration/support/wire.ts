import { field } from './json.ts';
import type { Json } from './json.ts';

/** A function call as an output item. */
export function call(name: string, args: unknown, rest: Json = {}): Json {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const suffix = typeof rest['id'] === 'string' ? rest['id'].replace(/^fc_/, '') : name;
  return {
    type: 'function_call',
    id: `fc_${suffix}`,
    call_id: `call_${suffix}`,
    name,
    arguments: text,
    status: 'completed',
    ...rest,
  };
}

/** A message of the assistant as an output item. */
export function message(text: string, rest: Json = {}): Json {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content, ...rest };
}

export function reasoning(id = 'rs_1', rest: Json = {}): Json {
  return { type: 'reasoning', id, summary: [], ...rest };
}

/** Token counts as the API gives them. */
export function usage(input: number, output: number, { cached = 0, thought = 0 } = {}): Json {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: thought },
    total_tokens: input + output,
  };
}

export interface ResponseParts {
  readonly id?: string;
  readonly items: readonly Json[];
  readonly usage?: Json | null;
  readonly status?: 'completed' | 'incomplete' | 'failed';
  /** Further fields, echoed ones for instance. */
  readonly fields?: Json;
}

/** A whole response object. */
export function response(parts: ResponseParts): Json {
  const { id = 'resp_1', status = 'completed', fields = {} } = parts;
  return {
    id,
    object: 'response',
    created_at: 1_700_000_000,
    status,
    model: 'm-1',
    output: parts.items,
    ...(parts.usage === null ? {} : { usage: parts.usage ?? usage(100, 10) }),
    ...fields,
  };
}

export interface StreamParts extends ResponseParts {
  readonly style?: Style;
}

/** How a server's stream differs from OpenAI's. */
export interface Style {
  readonly lineEnd?: '\n' | '\r\n' | '\r';
  /** Leaves the `event:` lines out. */
  readonly noEventLines?: boolean;
  /** Leaves these fields out of every event's data. */
  readonly without?: readonly string[];
  /** Changes the data of each event, by its place. */
  readonly bend?: (data: Json, index: number) => Json;
}

/** The frames of a whole stream, in OpenAI's order of events: one frame an event, texts and arguments in three deltas. */
export function stream(parts: StreamParts): string[] {
  const { status = 'completed', style = {} } = parts;
  const whole = response(parts);
  const opening: Json = { ...whole, status: 'in_progress', output: [], usage: null };
  const events: Json[] = [
    { type: 'response.created', response: opening },
    { type: 'response.in_progress', response: opening },
    ...parts.items.flatMap((item, index) => eventsOfItem(item, index)),
    { type: `response.${status}`, response: whole },
  ];
  return restyle(events, style);
}

/** Writes events down as frames, numbered from 0. */
export function restyle(events: readonly Json[], style: Style = {}): string[] {
  const { lineEnd = '\n', noEventLines = false, without = [], bend = (data: Json) => data } = style;
  return events.map((event, index) => {
    const { type, ...rest } = event;
    const numbered: Json = { type, sequence_number: 0, ...rest };
    numbered['sequence_number'] = index;
    const kept = Object.entries(numbered).filter(([key]) => !without.includes(key));
    const data = bend(Object.fromEntries(kept), index);
    const head = noEventLines ? '' : `event: ${String(type)}${lineEnd}`;
    return `${head}data: ${JSON.stringify(data)}${lineEnd}${lineEnd}`;
  });
}

function eventsOfItem(item: Json, index: number): Json[] {
  const place = { output_index: index };
  switch (item['type']) {
    case 'function_call':
      return wrapped(item, { arguments: '', status: 'in_progress' }, place, [
        ...deltas(
          'response.function_call_arguments',
          { ...place, item_id: item['id'] },
          String(item['arguments']),
        ),
        {
          type: 'response.function_call_arguments.done',
          item_id: item['id'],
          ...place,
          arguments: item['arguments'],
        },
      ]);
    case 'custom_tool_call':
      return wrapped(item, { input: '', status: 'in_progress' }, place, [
        ...deltas(
          'response.custom_tool_call_input',
          { ...place, item_id: item['id'] },
          String(item['input']),
        ),
        { type: 'response.custom_tool_call_input.done', item_id: item['id'], ...place, input: item['input'] },
      ]);
    case 'message': {
      const text = String(field(item, 'content', 0, 'text'));
      const at = { item_id: item['id'], ...place, content_index: 0 };
      const part = (inner: string): Json => ({ type: 'output_text', text: inner, annotations: [] });
      return wrapped(item, { content: [], status: 'in_progress' }, place, [
        { type: 'response.content_part.added', ...at, part: part('') },
        ...deltas('response.output_text', at, text),
        { type: 'response.output_text.done', ...at, text },
        { type: 'response.content_part.done', ...at, part: part(text) },
      ]);
    }
    default:
      return wrapped(item, {}, place, []);
  }
}

function wrapped(item: Json, unfinished: Json, place: Json, inner: readonly Json[]): Json[] {
  return [
    { type: 'response.output_item.added', ...place, item: { ...item, ...unfinished } },
    ...inner,
    { type: 'response.output_item.done', ...place, item },
  ];
}

function deltas(prefix: string, at: Json, text: string): Json[] {
  const letters = Array.from(text);
  const size = Math.max(Math.ceil(letters.length / 3), 1);
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, index) => ({
    type: `${prefix}.delta`,
    ...at,
    delta: letters.slice(index * size, (index + 1) * size).join(''),
  }));
}
