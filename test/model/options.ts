import { parseArgs } from 'node:util';

/** How the run is to go. */
export interface ModelTestOptions {
  /** The server's base URL, `/v1` included, without a slash at its end. */
  readonly baseUrl: string;
  /** Left out: the first that the server lists. */
  readonly model: string | undefined;
  /** What counts as a call in text. */
  readonly textFormat: TextFormat;
  /** How long one turn may take, all its hops together. */
  readonly timeoutSeconds: number;
  /** Only the runs whose line holds this. */
  readonly only: string | undefined;
}

/** The formats of `textTools`. */
export type TextFormat = (typeof textFormats)[number];

const textFormats = ['xml', 'json', 'any'] as const;

/** What `--help` prints. */
export const help = `Runs real turns through Toolroll against any OpenAI-compatible server, and checks the wire and the bounds, not the
model's wit.

  npm run test:model -- --base-url http://127.0.0.1:8091/v1

  --base-url URL         the server's base URL, /v1 included
  --model NAME           default: the first of GET /v1/models
  --text-format F        xml, json or any (default): what counts as a call where tools are told as text
  --timeout-seconds N    how long one turn may take (default 300)
  --only TEXT            only the runs whose line holds this

The key, where the server wants one, is read from OPENAI_API_KEY. Exit code: 0 all passed, 1 some failed, 2 not run.
`;

/** @throws TypeError that says what is wrong with the arguments */
export function readOptions(args: readonly string[]): ModelTestOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'base-url': { type: 'string' },
      model: { type: 'string' },
      'text-format': { type: 'string', default: 'any' },
      'timeout-seconds': { type: 'string', default: '300' },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const baseUrl = values['base-url'];
  if (baseUrl === undefined || !/^https?:\/\/\S+$/.test(baseUrl)) {
    throw new TypeError('--base-url must be given as http://… or https://…, /v1 included');
  }
  const textFormat = textFormats.find((format) => format === values['text-format']);
  if (textFormat === undefined) {
    throw new TypeError(`--text-format must be xml, json or any, not ${values['text-format']}`);
  }
  const timeoutSeconds = Number(values['timeout-seconds']);
  if (!(timeoutSeconds > 0)) throw new TypeError('--timeout-seconds must be a number above 0');
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    model: values.model,
    textFormat,
    timeoutSeconds,
    only: values.only,
  };
}
