/** Calls and their results as text, read back into the conversation that they were. */
import { validates } from '../brain/index.ts';
import type { BrainTool, HistoryEntry } from '../brain/index.ts';
import { isObject, parseJson } from '../json-value.ts';

/** The conversation, and how many calls since the user last spoke were sent back as wrong. */
export interface ReadHistory {
  readonly history: readonly HistoryEntry[];
  readonly rejected: number;
}

interface TextCall {
  readonly name: string;
  readonly arguments: string;
  readonly good: boolean;
}

/** Calls that wait for their outputs. */
interface OpenCalls {
  readonly calls: readonly TextCall[];
  readonly ids: readonly string[];
}

type Message = Extract<HistoryEntry, { kind: 'message' }>;

/**
 * Reads `<tool_call>` and fenced JSON in what the assistant said as calls, and `<tool_response …>` in what the user says
 * as their outputs. A wrong call and the complaint about it leave the conversation: the model shall try once more.
 */
export function readHistory(entries: readonly HistoryEntry[], tools: readonly BrainTool[]): ReadHistory {
  const history: HistoryEntry[] = [];
  let open: OpenCalls | undefined;
  let asked = 0;
  let rejected = 0;
  for (const [at, entry] of entries.entries()) {
    if (entry.kind !== 'message' || (entry.role !== 'assistant' && entry.role !== 'user')) {
      history.push(entry);
    } else if (entry.role === 'assistant') {
      const calls = readCalls(entry.text, tools);
      open = { calls, ids: calls.map((_, index) => `text_${String(at)}_${String(index)}`) };
      asked = history.length;
      history.push(...assistantEntries(entry, open));
    } else if (open?.calls.some(({ good }) => !good) === true && isComplaint(entry.text)) {
      rejected += 1;
      history.splice(asked);
      open = undefined;
    } else {
      const said = userEntries(entry, open?.ids ?? []);
      if (said.some(({ kind }) => kind === 'message')) rejected = 0;
      history.push(...said);
    }
  }
  return { history, rejected };
}

function assistantEntries(entry: Message, { calls, ids }: OpenCalls): readonly HistoryEntry[] {
  return [
    entry,
    ...calls.map((call, index): HistoryEntry => {
      return { kind: 'call', callId: ids[index] ?? '', name: call.name, arguments: call.arguments };
    }),
  ];
}

/** What stands in tags is a call, good or not; what is fenced only where it looks like one. */
function readCalls(text: string, tools: readonly BrainTool[]): readonly TextCall[] {
  const bare = text.replaceAll(/<think>[\s\S]*?<\/think>/gu, '');
  const tagged = [...bare.matchAll(/<tool_call>([\s\S]*?)(?:<\/tool_call>|$)/gu)];
  const fenced = [...bare.matchAll(/```(?:json)?\s*(\{\s*"name"[\s\S]*?\})\s*```/gu)];
  return [...tagged, ...fenced].map((match) => readCall(match[1] ?? '', tools));
}

function readCall(text: string, tools: readonly BrainTool[]): TextCall {
  const value = parseJson(text.trim());
  if (!isObject(value) || typeof value['name'] !== 'string') return { name: '', arguments: '', good: false };
  const { name, arguments: given = {} } = value;
  const tool = tools.find((entry) => entry.name === name);
  const fits = tool?.parameters == null || validates(tool.parameters, given);
  return { name, arguments: JSON.stringify(given), good: tool !== undefined && fits };
}

/** Words in which a wrong call is sent back; the result of a good call is never asked for them. */
function isComplaint(text: string): boolean {
  return /\b(?:unknown|no such|no tool|not (?:offered|available|found|known|valid|match|a tool|one of|json)|does not|do not|invalid|cannot|could not|try again|instead|correct)\b/i.test(
    text,
  );
}

/** Outputs first, then what else the message says. */
function userEntries(entry: Message, ids: readonly string[]): readonly HistoryEntry[] {
  const pattern = /<tool_response(?:\s[^>]*)?>([\s\S]*?)<\/tool_response>/gu;
  const outputs = [...entry.text.matchAll(pattern)].map((match, index): HistoryEntry => {
    return { kind: 'output', callId: ids[index] ?? '', text: (match[1] ?? '').trim() };
  });
  if (outputs.length === 0) return [entry];
  const rest = entry.text.replaceAll(pattern, '').trim();
  return rest === '' ? outputs : [...outputs, { ...entry, text: rest }];
}
