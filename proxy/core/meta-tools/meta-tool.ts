import type { ToolDefinition } from '../turn/index.ts';

/** What a call of a meta tool asks for. */
export type Resolution =
  /** Show these tools in full; keys of the catalogue, without duplicates, in the order asked for. */
  | { readonly kind: 'reveal'; readonly keys: readonly string[] }
  /** Nothing that is known: tell the model so and ask again. */
  | { readonly kind: 'answer'; readonly text: string };

/** A tool of ours that the model may call and the app never sees. */
export interface MetaTool {
  readonly definition: ToolDefinition;
  /** @param argumentsText the call's arguments as the model wrote them, valid JSON or not */
  resolve(argumentsText: string): Resolution;
}
