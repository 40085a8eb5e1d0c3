/** The same question twice: straight to the model and through Toolroll. */
import type OpenAI from 'openai';
import type { FunctionTool, Question } from '../scenarios/index.ts';
import { askModel } from './ask-model.ts';
import type { TurnResult } from './ask-model.ts';

/** Where the two ways begin. */
export interface ModelClients {
  readonly direct: OpenAI;
  readonly through: OpenAI;
}

/** What came of a question. */
export interface Comparison {
  readonly question: string;
  /** The tool that was called through Toolroll; a dash where the turn failed. */
  readonly tool: string;
  readonly directTokens: number;
  readonly throughTokens: number;
  readonly hops: number;
  readonly json: Outcome;
  readonly stream: Outcome;
}

/** Whether the app got through Toolroll what it gets without. */
type Outcome =
  | { readonly kind: 'same' }
  | { readonly kind: 'different'; readonly direct: string; readonly through: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Asks as JSON and as a stream, both ways, and compares tool and arguments. */
export async function compareQuestion(
  clients: ModelClients,
  tools: readonly FunctionTool[],
  { question }: Question,
): Promise<Comparison> {
  const json = await compareOnce(clients, { question, tools }, 'json');
  const stream = await compareOnce(clients, { question, tools }, 'stream');
  const shown = json.through ?? stream.through;
  return {
    question,
    tool: shown?.tool ?? '-',
    directTokens: (json.direct ?? stream.direct)?.inputTokens ?? Number.NaN,
    throughTokens: shown?.inputTokens ?? Number.NaN,
    hops: shown?.hops ?? Number.NaN,
    json: json.outcome,
    stream: stream.outcome,
  };
}

/** Why a comparison is not as it should be, in words; undefined where all is well. */
export function showFailure({ json, stream }: Comparison): string | undefined {
  const lines = [...explain('JSON', json), ...explain('stream', stream)];
  return lines.length === 0 ? undefined : lines.join('; ');
}

function explain(format: string, outcome: Outcome): readonly string[] {
  switch (outcome.kind) {
    case 'same':
      return [];
    case 'different':
      return [`${format}: direct called ${outcome.direct}, through Toolroll ${outcome.through}`];
    case 'failed':
      return [`${format}: ${outcome.reason}`];
    default:
      return outcome satisfies never;
  }
}

interface Pair {
  readonly direct?: TurnResult;
  readonly through?: TurnResult;
  readonly outcome: Outcome;
}

async function compareOnce(
  clients: ModelClients,
  asked: Parameters<typeof askModel>[1],
  format: 'json' | 'stream',
): Promise<Pair> {
  try {
    const direct = await askModel(clients.direct, asked, format);
    const through = await askModel(clients.through, asked, format);
    const [one, other] = [spell(direct), spell(through)];
    return {
      direct,
      through,
      outcome: one === other ? { kind: 'same' } : { kind: 'different', direct: one, through: other },
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { outcome: { kind: 'failed', reason } };
  }
}

function spell({ tool, argumentsText }: TurnResult): string {
  return `${tool}(${argumentsText})`;
}
