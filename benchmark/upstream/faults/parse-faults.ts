/**
 * Faults that a caller can ask for, in the header `x-stand-in-fault` or with the flag `--fault`:
 * `mode;key=value;key=value, mode;…`. Values are percent-decoded. Every mode understands
 * - `hop=1`: only while something is to be picked from a menu or a list of skills; `hop=2`: only afterwards, or where
 *   there is neither;
 * - `round=n`: only in the n-th round of picks and calls of skills since the user last spoke;
 * - `attempt=n`: only in the n-th attempt of a model without tools of its own, whose wrong calls were sent back.
 *
 * Modes that speak of Responses events do to the chunks of a chat what comes nearest; see `bend-chunks.ts`.
 */
import { invalid } from '../api-error.ts';

/** All modes, with the keys that they read. */
export const faultModes = {
  /** Waits before the headers. `ms` (200). */
  delay: 'ms',
  /** Waits between events. `ms` (50). */
  slow_events: 'ms',
  /** Sends half of event `event` (4), then ends: `end=reset` (default) or `end=eof`. Without a stream: half the body. */
  cut: 'event end',
  /** Destroys the socket: `at=headers` (default) or before event `event`. */
  reset: 'at event',
  /** 429 with `retry_after` (30) and rate-limit headers. */
  rate_limit: 'retry_after',
  /** `status` (500) with OpenAI's body. */
  server_error: 'status',
  /** Half of the JSON body; in a stream event `event` (4) with broken data. */
  malformed_json: 'event',
  /** Encodes the body: `encoding` (gzip), br or deflate. */
  gzip: 'encoding',
  /** No usage in the answer. */
  no_usage: '',
  /** Picks `names` (`no_such_tool`, several set apart by `|`) from the menu. */
  wrong_picks: 'names',
  /** Cuts the arguments of every call, so that they are no JSON. */
  bad_arguments: '',
  /** Calls a tool that stands on the menu directly, with guessed arguments. */
  unseen_call: '',
  /** Calls `name` (`tool_nobody_offered`) with `arguments` (`{}`) in place of every call, or of the text. */
  unknown_call: 'name arguments',
  /** A real call beside the pick: of `tool`, or of the first tool in sight. `first=yes` puts it before the pick. */
  mixed_calls: 'tool first',
  /** `text` before the calls. */
  text_first: 'text',
  /** A second pick beside the first: of `names`, or of the next best name. */
  two_picks: 'names',
  /** Items are announced in order and finished in the reverse order. */
  interleave: '',
  /** SSE without `event:` lines. */
  no_event_lines: '',
  /** SSE lines end in CR LF. */
  crlf: '',
  /** `keepalive` events and comments between the events. */
  keepalive: '',
  /** No `output_index`, `content_index`, `summary_index`. */
  no_index: '',
  /** No `sequence_number`. */
  no_sequence: '',
  /** Another item id in every event of an item. */
  rotate_ids: '',
  /** Events of types that no client knows. */
  unknown_events: '',
  /** The stream ends without its terminal event. */
  no_terminal: '',
  /** `error` and `response.failed` before event `event` (4). */
  error_event: 'event',
  /** `data: [DONE]` at the end. */
  done_marker: '',
  /** A text of `mb` (1) megabytes after what was to be said. */
  big_stream: 'mb',
  /** Arguments as a JSON object where a string belongs. */
  object_arguments: '',
  /** Arguments that are JSON and against the schema of their tool: the first of them has another type. */
  against_schema: '',
  /** Breaks off inside the last call, as at a limit of tokens: `length` in a chat, `incomplete` in a response. */
  cut_call: '',
  /** Calls the skill `name` (`no_such_skill`) that nobody listed. */
  wrong_skill: 'name',
  /** A `<think>` block before the text, with what looks like a call in it. */
  think_block: '',
  /** Models without tools: the call is not quite JSON. `slip`: trailing_comma (default), raw_newline, python, quotes, half. */
  malformed_call: 'slip',
  /** Chat: no `[DONE]` at the end. */
  no_done: '',
  /** Chat: the usage in every chunk, asked for or not. */
  usage_repeated: '',
  /** Chat: each call in one chunk, arguments and all. */
  whole_calls: '',
  /** Chat: the thought in `reasoning_content`. `demand=yes`: a 400 where calls come back without it. */
  reasoning_content: 'demand',
} as const;

/** The name of a mode. */
export type FaultMode = keyof typeof faultModes;

/** One fault to commit. */
export interface Fault {
  readonly mode: FaultMode;
  readonly values: ReadonlyMap<string, string>;
}

/** What the request at hand is, for faults that strike one hop only. */
export interface Hop {
  /** 1 while something is to be picked from a menu or a list of skills, else 2. */
  readonly hop: 1 | 2;
  /** Picks and calls of skills since the user last spoke, plus one. */
  readonly round: number;
  /** Calls that were sent back as wrong since the user last spoke, plus one; 1 where nothing is said. */
  readonly attempt?: number;
}

function isMode(name: string): name is FaultMode {
  return Object.hasOwn(faultModes, name);
}

/** Reads faults; throws a 400 about a mode or key that does not exist, so that a test cannot ask for nothing. */
export function parseFaults(spec: string | undefined): readonly Fault[] {
  if (spec === undefined || spec.trim() === '') return [];
  return spec.split(',').map((part) => {
    const [mode = '', ...pairs] = part.split(';').map((piece) => piece.trim());
    if (!isMode(mode)) throw invalid('x-stand-in-fault', null, `Unknown fault: '${mode}'.`);
    const values = new Map<string, string>();
    for (const pair of pairs) {
      const at = pair.indexOf('=');
      const key = pair.slice(0, at);
      if (at < 0 || !['hop', 'round', 'attempt', ...faultModes[mode].split(' ')].includes(key)) {
        throw invalid('x-stand-in-fault', null, `Fault '${mode}' has no key '${pair}'.`);
      }
      values.set(key, decodeURIComponent(pair.slice(at + 1)));
    }
    return { mode, values };
  });
}

/** The faults that strike a hop. */
export class Faults {
  readonly #faults: readonly Fault[];

  constructor(faults: readonly Fault[], hop: Hop) {
    this.#faults = faults.filter(({ values }) => {
      const onHop = values.get('hop') ?? String(hop.hop);
      const inRound = values.get('round') ?? String(hop.round);
      const inAttempt = values.get('attempt') ?? String(hop.attempt ?? 1);
      return (
        onHop === String(hop.hop) && inRound === String(hop.round) && inAttempt === String(hop.attempt ?? 1)
      );
    });
  }

  /** True where no fault strikes. */
  get none(): boolean {
    return this.#faults.length === 0;
  }

  /** True where the mode strikes. */
  has(mode: FaultMode): boolean {
    return this.#faults.some((fault) => fault.mode === mode);
  }

  /** A value of the mode; the fallback where it is not given; undefined where the mode does not strike. */
  value(mode: FaultMode, key: string, fallback: string): string | undefined {
    const fault = this.#faults.find((entry) => entry.mode === mode);
    return fault === undefined ? undefined : (fault.values.get(key) ?? fallback);
  }

  /** As {@link value}, as a number. */
  number(mode: FaultMode, key: string, fallback: number): number | undefined {
    const value = this.value(mode, key, String(fallback));
    return value === undefined ? undefined : Number(value);
  }
}
