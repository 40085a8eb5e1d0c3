/** Calls as such a model writes them: in its text. */
import type { BrainAnswer, BrainPart } from '../brain/index.ts';
import type { TextTraits } from './traits.ts';

/** Ways of writing a call that is not quite JSON. */
export const slips = {
  /** A comma too many before the last brace. */
  trailing_comma: (call: string) => call.replace(/\}$/, ',}'),
  /** A line break as it is inside the first string of the arguments. */
  raw_newline: (call: string) => call.replace(/("arguments":\{"[^"]*":"[^"\\]*)"/, '$1\n"'),
  /** Single quotes, `True`, `False` and `None`. */
  python: (call: string) =>
    call
      .replaceAll('"', "'")
      .replaceAll(/\btrue\b/g, 'True')
      .replaceAll(/\bfalse\b/g, 'False')
      .replaceAll(/\bnull\b/g, 'None'),
  /** Quotes inside the first string of the arguments that nothing escapes. */
  quotes: (call: string) => call.replace(/("arguments":\{"[^"]*":")/, '$1the "real" '),
  /** Nothing but half of it. */
  half: (call: string) => call.slice(0, call.length / 2),
} as const;

/** The name of a slip. */
export type Slip = keyof typeof slips;

/** True for the name of a slip. */
export function isSlip(name: string): name is Slip {
  return Object.hasOwn(slips, name);
}

const opening = 'I will use a tool for that.';

/** The answer with its calls as text, one text in all; the calls of a broken answer end without their tag. */
export function writeCalls(answer: BrainAnswer, traits: TextTraits, slip: Slip | undefined): BrainAnswer {
  const { parts, broken } = answer;
  const last = parts.at(-1);
  if (parts.every(({ kind }) => kind === 'text')) return answer;
  const pieces = parts.map((part) => {
    if (part.kind === 'text') return part.text;
    return wrapped(part, { traits, slip, open: broken === true && part === last });
  });
  const text = parts[0]?.kind === 'text' ? pieces.join('\n') : [opening, ...pieces].join('\n');
  return { ...answer, parts: [{ kind: 'text', text }] };
}

interface Writing {
  readonly traits: TextTraits;
  readonly slip: Slip | undefined;
  /** Breaks off inside. */
  readonly open: boolean;
}

function wrapped(part: Exclude<BrainPart, { kind: 'text' }>, { traits, slip, open }: Writing): string {
  const given = part.kind === 'call' ? part.arguments : JSON.stringify({ input: part.input });
  const head = `{"name":${JSON.stringify(part.name)},"arguments":${given}`;
  const [before, after] = traits.format === 'tags' ? ['<tool_call>', '</tool_call>'] : ['```json\n', '\n```'];
  if (open) return before + head;
  const call = `${head}}`;
  return before + (slip === undefined ? call : slips[slip](call)) + after;
}
