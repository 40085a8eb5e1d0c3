/** From the brain's answer to Responses output items, within the tokens that the caller allows. */
import type { BrainAnswer, BrainPart } from '../brain/index.ts';
import { countTokens } from '../usage/index.ts';
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

/** How much an effort multiplies a thought. */
const effortFactor: Readonly<Record<string, number>> = {
  minimal: 1,
  low: 2,
  medium: 8,
  high: 24,
  xhigh: 48,
  max: 64,
};

/** Builds the output items, cut where `max_output_tokens` ends them. */
export function buildOutput(request: DecodedRequest, answer: BrainAnswer, nextId: NextId): Output {
  const items: OutputItem[] = [];
  let left = request.maxOutputTokens;
  let reasoningTokens = 0;
  if (request.reasoning !== undefined) {
    reasoningTokens = Math.min(
      left,
      countTokens(answer.thought) * (effortFactor[request.reasoning.effort] ?? 8),
    );
    left -= reasoningTokens;
    items.push(reasoningItem(request.reasoning, answer.thought, nextId('rs')));
  }
  let outputTokens = reasoningTokens;
  let complete = true;
  for (const part of answer.parts) {
    if (left <= 0) {
      complete = false;
      break;
    }
    const { kept, tokens, whole } = cutPart(part, left);
    items.push(itemOf(kept, whole ? 'completed' : 'incomplete', nextId));
    outputTokens += tokens;
    left -= tokens;
    complete = whole;
    if (!whole) break;
  }
  return { items, complete, outputTokens, reasoningTokens };
}

function reasoningItem(demand: ReasoningDemand, thought: string, id: string): OutputItem {
  const summary = demand.summary ? [{ type: 'summary_text', text: thought } as const] : [];
  const item = { id, type: 'reasoning', summary } as const;
  return demand.encrypted ? { ...item, encrypted_content: seal(thought, id) } : item;
}

/** Tokens that wrap a call in the output. */
const callTokens = 8;

function cutPart(part: BrainPart, left: number): { kept: BrainPart; tokens: number; whole: boolean } {
  const text = part.kind === 'text' ? part.text : part.kind === 'call' ? part.arguments : part.input;
  const around = part.kind === 'text' ? 2 : callTokens + countTokens(part.name);
  const tokens = countTokens(text) + around;
  if (tokens <= left) return { kept: part, tokens, whole: true };
  const share = Math.max(0, (left - around) / (tokens - around));
  const characters = Array.from(text);
  const cut = characters.slice(0, Math.floor(characters.length * share)).join('');
  return { kept: withText(part, cut), tokens: left, whole: false };
}

function withText(part: BrainPart, text: string): BrainPart {
  switch (part.kind) {
    case 'text':
      return { ...part, text };
    case 'call':
      return { ...part, arguments: text };
    case 'custom':
      return { ...part, input: text };
    default:
      return part satisfies never;
  }
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
