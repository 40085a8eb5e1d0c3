/** Answers in words, or in JSON where a form is asked for. */
import type { BrainRequest, HistoryEntry } from './contract.ts';
import { fillArguments } from './fill-arguments.ts';
import { firstLine } from './skill.ts';
import type { LoadedSkill } from './skill.ts';

/** What an answer is made from. */
export interface Material {
  readonly question: string;
  /** The tools' outputs. */
  readonly outputs: readonly string[];
  /** Skills that the answer follows: it quotes their first lines. */
  readonly skills: readonly LoadedSkill[];
}

const longestQuote = 400;

/** The text of an answer: from the tools' outputs where there are any, else to the question itself. */
export function composeText(request: BrainRequest, { question, outputs, skills }: Material): string {
  switch (request.form.kind) {
    case 'schema':
      return JSON.stringify(fillArguments(request.form.schema, [question, ...outputs].join('\n')));
    case 'json':
      return JSON.stringify({ answer: plain(request.history, question, outputs) });
    case 'text':
      return quote(skills) + plain(request.history, question, outputs);
    default:
      return request.form satisfies never;
  }
}

function quote(skills: readonly LoadedSkill[]): string {
  return skills.map(({ content }) => `As the skill says: "${firstLine(content)}" `).join('');
}

function plain(history: readonly HistoryEntry[], question: string, outputs: readonly string[]): string {
  if (outputs.length > 0) {
    return `Here is what I found: ${outputs.map((output) => shorten(output)).join(' ')}`;
  }
  const name = /\bwhat(?:'s| is) my name\b/i.test(question) ? nameIn(history) : undefined;
  if (name !== undefined) return name;
  const sum = sumOf(question);
  if (sum !== undefined) return `The result is ${sum}.`;
  const images = history.reduce((count, entry) => count + (entry.kind === 'message' ? entry.images : 0), 0);
  if (images > 0)
    return `I see ${images === 1 ? 'an image' : `${String(images)} images`} in the message you sent.`;
  if (/^\s*(?:hi|hello|hey|good (?:morning|evening)|say hello)\b/i.test(question))
    return 'Hello, how are you?';
  if (question.trim() === '') return 'How can I help you?';
  return `You asked: ${shorten(question)} I have no tool that answers this, so here is what I know about it myself.`;
}

function shorten(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  const cut = Array.from(flat).slice(0, longestQuote).join('');
  return cut.length < flat.length ? `${cut}…` : cut;
}

function nameIn(history: readonly HistoryEntry[]): string | undefined {
  for (const entry of history) {
    const name = entry.kind === 'message' ? /\bmy name is (\p{Lu}\p{L}*)/iu.exec(entry.text)?.[1] : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

/** `15 * 37` and its like. */
function sumOf(question: string): string | undefined {
  const match = /(-?\d+(?:\.\d+)?)\s*([*x×+/-])\s*(-?\d+(?:\.\d+)?)/.exec(question);
  if (match === null) return undefined;
  const [a, b] = [Number(match[1]), Number(match[3])];
  const results: Readonly<Record<string, number>> = { '+': a + b, '-': a - b, '/': a / b };
  return String(results[match[2] ?? ''] ?? a * b);
}
