import type { ElementChange } from '../json/index.ts';

/** The wire-neutral definition of a tool of ours. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its parameters, as text. */
  readonly parameters: string;
}

/** A tool that the request did not hold. */
export type AddedTool =
  | { readonly kind: 'definition'; readonly definition: ToolDefinition; readonly before: number | undefined }
  /** A declaration taken from a rule, in the flat shape of the Responses API. */
  | { readonly kind: 'declaration'; readonly text: string };

/** What becomes of `tool_choice`. */
export type ToolChoiceChange =
  | { readonly kind: 'keep' | 'drop' | 'auto' | 'none' }
  | { readonly kind: 'named'; readonly name: string }
  /** The list of `allowed_tools`: texts of the app, and names for those that are ours or renamed. */
  | { readonly kind: 'allowed'; readonly entries: readonly AllowedChange[] };

export type AllowedChange =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'renamed'; readonly text: string; readonly name: string }
  | { readonly kind: 'function'; readonly name: string };

/** Something of an earlier hop that a later one has to see. */
export type CarriedItem =
  /** An item of the upstream's own answer, as it wrote it. */
  | { readonly kind: 'item'; readonly text: string }
  /** Our answer to a call. */
  | { readonly kind: 'output'; readonly callId: string; readonly custom: boolean; readonly text: string }
  /** Words of ours, in the user's role. */
  | { readonly kind: 'user_message'; readonly text: string };

/**
 * How an upstream is told to answer without thinking: `reasoning.effort` (or `reasoning_effort`) as `none`, or
 * `enable_thinking: false` at the top or inside `chat_template_kwargs`, as servers of open models want it.
 */
export type ReasoningSwitch = 'effort' | 'enable_thinking' | 'chat_template_kwargs';

/** What one hop changes in the app's request. Everything that is not named here goes as the app wrote it. */
export interface RequestChanges {
  /** By tool id: another text, `null` to leave the tool out, `undefined` to leave it as it stands. */
  readonly tools: readonly ElementChange[];
  readonly added: readonly AddedTool[];
  readonly toolChoice: ToolChoiceChange;
  /** New names of calls in the history, by the key that the app knows. */
  readonly historyNames: ReadonlyMap<string, string>;
  /** What follows the app's own input. */
  readonly carried: readonly CarriedItem[];
  readonly reasoning: 'keep' | ReasoningSwitch;
  /** `add` asks for the encrypted reasoning that a later hop will have to carry. */
  readonly encryptedReasoning: 'as_sent' | 'add';
}
