/**
 * What the brain is asked and what it answers, in words of no protocol: a wire folder translates to and from it.
 */
import type { JsonObject } from '../json-value.ts';

/** A tool that the model can see. */
export interface BrainTool {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  /** Name of the namespace tool that holds it. */
  readonly namespace?: string;
  readonly description: string;
  /** Its JSON Schema; null where it takes none. */
  readonly parameters: JsonObject | null;
}

/** What the caller demands of the choice: `tool_choice`, decoded. */
export type ToolDemand =
  | { readonly mode: 'auto' | 'none' | 'required'; readonly allowed?: ReadonlySet<string> }
  | { readonly mode: 'named'; readonly name: string };

/** One entry of the conversation. */
export type HistoryEntry =
  | { readonly kind: 'message'; readonly role: string; readonly text: string; readonly images: number }
  | { readonly kind: 'call'; readonly callId: string; readonly name: string; readonly arguments: string }
  | { readonly kind: 'output'; readonly callId: string; readonly text: string };

/** The form that a text answer shall have. */
export type TextForm =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | { readonly kind: 'schema'; readonly schema: JsonObject };

/** A request as the brain sees it. */
export interface BrainRequest {
  readonly tools: readonly BrainTool[];
  readonly demand: ToolDemand;
  /** False: one call at most. */
  readonly parallel: boolean;
  readonly history: readonly HistoryEntry[];
  readonly form: TextForm;
}

/** One part of an answer, in order. */
export type BrainPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly namespace?: string;
      readonly arguments: string;
    }
  | { readonly kind: 'custom'; readonly name: string; readonly namespace?: string; readonly input: string };

/** The answer: a thought that only reasoning requests show, and its parts. */
export interface BrainAnswer {
  readonly thought: string;
  readonly parts: readonly BrainPart[];
  /** The last part breaks off in its middle, as at a limit of tokens. */
  readonly broken?: true;
}
