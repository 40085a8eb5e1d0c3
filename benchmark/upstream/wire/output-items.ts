/** From the brain's answer to Responses output items, within the tokens that the caller allows. */
import type { BrainAnswer, BrainPart } from '../brain/index.ts';
import { cutParts, thinkingTokens } from './cut-parts.ts';
import type { DecodedRequest, ReasoningDemand } from './decode-request.ts';
import { seal } from './seal.ts';

/** A summary or text part. */
interface TextPart {
  readonly type: 'output_text';
  readonly text: string;
  readonly annotations: readonly never[];
  readonly logprobs: readonly never[];
}

type Status = 'completed' | 'incomplete';

/** One output item. */
export type OutputItem =
  | {
      readonly id: string;
      readonly type: 'reasoning';
      readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[];
      readonly encrypted_content?: string;
    }
  | {
      readonly id: string;
      readonly type: 'message';
      readonly status: Status;
      readonly role: 'assistant';
      readonly content: readonly TextPart[];
    }
  | {
      readonly id: string;
      readonly type: 'function_call';
      readonly status: Status;
      readonly arguments: string;
      readonly call_id: string;
      readonly name: string;
      readonly namespace?: string;
    }
  | {
      readonly id: string;
      readonly type: 'custom_tool_call';
      readonly status: Status;
      readonly call_id: string;
      readonly input: string;
      readonly name: string;
      readonly namespace?: string;
    };

/** The output and what it costs. */
export interface Output {
  readonly items: readonly OutputItem[];
  readonly complete: boolean;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** Gives out an id with a prefix, never one twice. */
export type NextId = (prefix: string) => string;

/** Builds the output items, cut where `max_output_tokens` ends them. */
export function buildOutput(request: DecodedRequest, answer: BrainAnswer, nextId: NextId): Output {
  const items: OutputItem[] = [];
  let left = request.maxOutputTokens;
  let reasoningTokens = 0;
  if (request.reasoning !== undefined) {
    reasoningTokens = Math.min(left, thinkingTokens(answer.thought, request.reasoning.effort));
    left -= reasoningTokens;
    items.push(reasoningItem(request.reasoning, answer.thought, nextId('rs')));
  }
  const { kept, tokens, complete } = cutParts(answer, left);
  for (const { part, whole } of kept) items.push(itemOf(part, whole ? 'completed' : 'incomplete', nextId));
  return { items, complete, outputTokens: reasoningTokens + tokens, reasoningTokens };
}

function reasoningItem(demand: ReasoningDemand, thought: string, id: string): OutputItem {
  const summary = demand.summary ? [{ type: 'summary_text', text: thought } as const] : [];
  const item = { id, type: 'reasoning', summary } as const;
  return demand.encrypted ? { ...item, encrypted_content: seal(thought, id) } : item;
}

function itemOf(part: BrainPart, status: Status, nextId: NextId): OutputItem {
  switch (part.kind) {
    case 'text': {
      const content = [{ type: 'output_text', text: part.text, annotations: [], logprobs: [] } as const];
      return { id: nextId('msg'), type: 'message', status, role: 'assistant', content };
    }
    case 'call':
      return {
        id: nextId('fc'),
        type: 'function_call',
        status,
        arguments: part.arguments,
        call_id: nextId('call'),
        name: part.name,
        ...spaceOf(part),
      };
    case 'custom':
      return {
        id: nextId('ctc'),
        type: 'custom_tool_call',
        status,
        call_id: nextId('call'),
        input: part.input,
        name: part.name,
        ...spaceOf(part),
      };
    default:
      return part satisfies never;
  }
}

function spaceOf(part: { readonly namespace?: string }): { readonly namespace?: string } {
  return part.namespace === undefined ? {} : { namespace: part.namespace };
}
