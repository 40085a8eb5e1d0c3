import { normaliseSkillName, skillNameProblem } from '../core/skills/index.ts';
import type { Skill } from '../core/skills/index.ts';
import { estimateTokens } from '../core/tokens/index.ts';
import type { Steps } from './pace.ts';
import { decodeFile, parseFile } from './parse-document.ts';
import type { ParsedDocument } from './parse-document.ts';
import { readSimpleLines } from './simple-front-matter.ts';
import { skillError } from './skill-fault.ts';
import type { SkillFault } from './skill-fault.ts';

/** A skill, or everything that keeps it from loading. */
export type ParsedSkill = { readonly skill: Skill } | { readonly faults: readonly SkillFault[] };

/** Where a skill file comes from and what it may be. */
export interface SkillSource {
  readonly file: string;
  readonly bytes: Uint8Array;
  /** The most tokens that its content may have. */
  readonly maxTokens: number;
}

/**
 * Reads one skill: YAML front matter between two lines `---`, with `name` and `description`, and below it the content. A
 * byte order mark, CRLF and blanks behind the dashes are allowed. Other front matter, as `---js`, is refused and never
 * evaluated.
 */
export function* parseSkill({ file, bytes, maxTokens }: SkillSource): Steps<ParsedSkill> {
  const decoded = decodeFile(file, bytes);
  if ('fault' in decoded) return { faults: [{ ...decoded.fault, severity: 'error' }] };
  const parts = split(decoded.text);
  if ('problem' in parts) return { faults: [skillError(file, parts.problem, parts.line)] };
  const front = yield* readFrontMatter(file, parts.yaml);
  const faults = [...front.faults];
  const content = parts.body.replaceAll('\r\n', '\n').trim();
  if (content === '') faults.push(skillError(file, 'the skill has no content', parts.bodyLine));
  // As a string on the wire, since that is what is estimated.
  const tokens = Math.ceil(estimateTokens(JSON.stringify(content)));
  if (tokens > maxTokens) {
    const message = `the skill has about ${String(tokens)} tokens, and ${String(maxTokens)} are allowed: shorten or split it, or raise TOOLROLL_SKILL_MAX_TOKENS`;
    faults.push(skillError(file, message, parts.bodyLine));
  }
  if (faults.length > 0) return { faults };
  const { name, description } = front;
  return { skill: Object.freeze({ name, description, content, tokens, source: file }) };
}

type Parts =
  | { readonly yaml: string; readonly body: string; readonly bodyLine: number }
  | { readonly problem: string; readonly line: number };

const OPENING = /^---[ \t]*\r?(?:\n|$)/;
const CLOSING = /^---[ \t]*\r?$/m;

function split(text: string): Parts {
  if (text.trim() === '') return { problem: 'the file is empty', line: 1 };
  const opening = OPENING.exec(text);
  if (opening === null) return { problem: explainOpening(text), line: 1 };
  const rest = text.slice(opening[0].length);
  const closing = CLOSING.exec(rest);
  if (closing === null) return { problem: "the front matter has no end: a line '---' is missing", line: 1 };
  const yaml = rest.slice(0, closing.index);
  return {
    yaml,
    body: rest.slice(closing.index + closing[0].length),
    bodyLine: 2 + yaml.split('\n').length,
  };
}

function explainOpening(text: string): string {
  const wanted =
    "a skill must begin with a line '---', then YAML with name and description, then a line '---'";
  const first = text.slice(0, text.search(/[\r\n]|$/)).slice(0, 40);
  return /^---\S|^---[ \t]+\S/.test(first) && !first.startsWith('----')
    ? `the front matter begins with '${first}': only YAML is read, and nothing is evaluated; ${wanted}`
    : wanted;
}

interface FrontMatter {
  readonly name: string;
  readonly description: string;
  readonly faults: readonly SkillFault[];
}

function* readFrontMatter(file: string, yaml: string): Steps<FrontMatter> {
  const simple = readSimpleLines(yaml);
  const [plainName, plainDescription] = [simple?.get('name'), simple?.get('description')];
  if (plainName !== undefined && plainDescription !== undefined) {
    const name = normaliseSkillName(plainName);
    if (skillNameProblem(name) === undefined)
      return { name, description: plainDescription.trim(), faults: [] };
  }
  // The line of the dashes goes before it, so that lines are those of the file.
  const parsed =
    yaml.trim() === ''
      ? { documents: [], faults: [] }
      : yield* parseFile(file, `\n${yaml.replaceAll('\r\n', '\n')}`);
  const broken = parsed.faults.map((fault): SkillFault => ({ ...fault, severity: 'error' }));
  if (broken.length > 0) return { name: '', description: '', faults: broken };
  const [document] = parsed.documents;
  const name = readField(file, document, 'name');
  const description = readField(file, document, 'description');
  const normal = normaliseSkillName(name.value ?? '');
  const problem = name.value === undefined ? undefined : skillNameProblem(normal);
  const named = problem === undefined ? [] : [skillError(file, `name ${problem}`, name.line)];
  return {
    name: normal,
    description: description.value ?? '',
    faults: [...name.faults, ...named, ...description.faults],
  };
}

interface Field {
  readonly value: string | undefined;
  readonly line: number;
  readonly faults: readonly SkillFault[];
}

function readField(file: string, document: ParsedDocument | undefined, key: string): Field {
  const line = document?.lineOf(`/${key}`) ?? 1;
  const refuse = (message: string): Field => ({
    value: undefined,
    line,
    faults: [{ ...skillError(file, message, line), pointer: `/${key}` }],
  });
  const fields: unknown = document?.value;
  const value = isRecord(fields) && Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (value === undefined || value === null) return refuse(`the front matter needs '${key}'`);
  if (typeof value !== 'string') return refuse(`${key} must be text: put it in quotes`);
  return value.trim() === '' ? refuse(`${key} must not be empty`) : { value: value.trim(), line, faults: [] };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
