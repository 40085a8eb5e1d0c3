import type { FunctionTool } from '../../benchmark/scenarios/index.ts';

/** The two APIs. */
export type Api = 'chat' | 'responses';

/** The two shapes of an answer. */
export type Shape = 'json' | 'stream';

/** How an answer is asked for. */
export interface Way {
  readonly api: Api;
  readonly shape: Shape;
}

/** One conversation, in no API's words. */
export interface Talk {
  readonly system?: string;
  readonly said: readonly Said[];
  readonly tools: readonly FunctionTool[];
}

/** What was said before the answer. */
export type Said =
  | { readonly by: 'system' | 'user' | 'assistant'; readonly text: string }
  | {
      readonly by: 'tool';
      readonly call: { readonly id: string; readonly name: string; readonly arguments: string };
      readonly output: string;
    };

/** What came back, in no API's words. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly Call[];
  /** As the API says it: `stop`, `tool_calls`, `length`; or `completed`, `incomplete`. */
  readonly end: string;
}

/** One call that the app is to run. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}
