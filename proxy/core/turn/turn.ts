import type { Span } from '../json/index.ts';

/** The APIs that carry turns: `POST /v1/responses` and `POST /v1/chat/completions`. */
export type Protocol = 'responses' | 'chat';

/**
 * What a declared tool is to us.
 *
 * - `function`, `custom`: the app runs it; it can be rolled up
 * - `hosted`: the upstream runs it, or its type is not known to us: always shown
 * - `unreadable`: no name, or several: left where it stands
 */
export type ToolKind = 'function' | 'custom' | 'hosted' | 'unreadable';

/** A tool as the app declared it, wherever in the request it stands. */
export interface DeclaredTool {
  /** Its position among all tools of the turn; the identity that plans speak of. */
  readonly id: number;
  /** The name in the menu: `namespace.name`, or the name alone; the type for a hosted tool. */
  readonly key: string;
  /** The bare name; the type for a hosted tool, empty where it has none. */
  readonly name: string;
  readonly namespace: string | undefined;
  readonly kind: ToolKind;
  /** For hosted and unreadable tools every other name they may be taken for, so that deny rules reach them. */
  readonly candidates: readonly string[];
  /** True if it may be rolled up: a function or custom tool whose key no other tool has. */
  readonly rollable: boolean;
  /** The declaration as the app wrote it. */
  readonly text: string;
  /** Where in `text` the object with `name`, `description` and `parameters` stands. */
  readonly definition: Span;
}

/**
 * All tools of a turn. The same tool texts give the same object while they are remembered, so that what is derived
 * from a list can be kept beside it.
 */
export interface ToolList {
  readonly tools: readonly DeclaredTool[];
}

/** `tool_choice` as the app sent it, in the terms of a plan. */
export type ToolChoice =
  | { readonly kind: 'unset' | 'auto' | 'none' | 'required' }
  /** A function or custom tool is forced. */
  | { readonly kind: 'named'; readonly key: string }
  /** Only these tools may be called; `entries` are the app's own texts, in order, each with the key it names. */
  | {
      readonly kind: 'allowed';
      readonly mode: 'auto' | 'required';
      readonly entries: readonly AllowedEntry[];
    }
  /** A hosted tool is forced; `type` is what it names. */
  | { readonly kind: 'hosted'; readonly type: string }
  /** Nothing we can read: the upstream shall judge it. */
  | { readonly kind: 'unreadable' };

/** One tool that `allowed_tools` lists. */
export interface AllowedEntry {
  readonly key: string;
  readonly text: string;
}

/** Why a turn is never rolled up: what the app asks for would not survive a second hop. */
export type OneHopReason =
  | 'background'
  | 'prompt_template'
  | 'conversation'
  | 'truncation'
  | 'context_management'
  | 'cache_prewarm'
  | 'tool_search'
  | 'deferred_tools'
  | 'programmatic_tool_calling'
  | 'several_choices';

/** One request of the app: its text, and the little of it that decisions need. */
export interface Turn {
  readonly protocol: Protocol;
  /** The body as the app sent it, after content decoding. */
  readonly text: string;
  readonly model: string | undefined;
  readonly stream: boolean;
  readonly toolList: ToolList;
  /** Where in `text` arrays of tools stand; what is outside of them is the rest of the prompt. */
  readonly toolSpans: readonly Span[];
  readonly toolChoice: ToolChoice;
  /** False only where the app forbids several calls in one answer. */
  readonly parallelToolCalls: boolean;
  /** Keys of the tools that were called earlier in the conversation, from the request's own history. */
  readonly calledKeys: ReadonlySet<string>;
  readonly oneHopReason: OneHopReason | undefined;
  /** Whether reasoning of a hop could be sent back only as an encrypted blob (`store: false` and `reasoning` given). */
  readonly needsEncryptedReasoning: boolean;
  /** A key that we read stands several times, so the upstream could read another value than we did. */
  readonly hasDuplicateKeys: boolean;
}

/** What a request turned out to be. */
export type DecodedRequest<T extends Turn> =
  | { readonly kind: 'turn'; readonly turn: T }
  /** Not ours to touch: it goes on as the app sent it and the upstream answers for it. */
  | { readonly kind: 'not_a_turn'; readonly reason: NotATurnReason };

export type NotATurnReason = 'not_json' | 'not_an_object' | 'tools_not_an_array' | 'legacy_functions';
