import { Composer, Lexer, LineCounter, Parser, isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { CST, Document } from 'yaml';
import { composeInSlices } from './compose-slices.ts';
import { fileFault, keysOf, maxFaults } from './fault.ts';
import type { Fault } from './fault.ts';
import type { Steps } from './pace.ts';
import { maxDepth, offsetOf, toPlainValue } from './plain-values.ts';

/** One YAML document of a file, as plain values, with a way back to its lines. */
export interface ParsedDocument {
  readonly file: string;
  readonly value: unknown;
  /** The line of what the pointer names, or of the nearest thing around it that exists. */
  lineOf(pointer: string): number;
}

/** The documents of one file and what is wrong with them as YAML. */
export interface ParsedFile {
  readonly documents: readonly ParsedDocument[];
  readonly faults: readonly Fault[];
}

/** Files above this are refused; a ConfigMap cannot be larger either. In bytes. */
export const maxFileBytes = 1024 * 1024;

/**
 * Reads the bytes of a rule file as text.
 *
 * @returns the text without a byte order mark, or why there is none
 */
export function decodeFile(
  file: string,
  bytes: Uint8Array,
): { readonly text: string } | { readonly fault: Fault } {
  if (bytes.byteLength > maxFileBytes) {
    return { fault: fileFault(file, `the file is larger than ${String(maxFileBytes)} bytes`) };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { fault: fileFault(file, 'the file is not valid UTF-8') };
  }
}

/** Parses the text of one file, in steps: YAML with one or more documents; JSON is YAML. */
export function* parseFile(file: string, text: string): Steps<ParsedFile> {
  const lines = new LineCounter();
  const parsed = yield* parseDocuments(text, lines);
  if (parsed === 'too_deep') return { documents: [], faults: [fileFault(file, tooDeep)] };
  const documents: ParsedDocument[] = [];
  const faults: Fault[] = [];
  for (const document of parsed) {
    const reader = new DocumentReader(file, document, lines);
    faults.push(...(yield* reader.read()));
    if (faults.length >= maxFaults) break;
    if (reader.value !== null && reader.value !== undefined) documents.push(reader);
  }
  if (documents.length === 0 && faults.length === 0) {
    faults.push(fileFault(file, 'an empty file is refused, so that a truncated one cannot drop a deny rule'));
  }
  return { documents: faults.length === 0 ? documents : [], faults };
}

const tooDeep = `the file is nested more than ${String(maxDepth)} levels deep`;

/** The library's `parseAllDocuments`, in steps. */
function* parseDocuments(text: string, lines: LineCounter): Steps<readonly Document[] | 'too_deep'> {
  // The core schema holds even where a %YAML directive asks for 1.1, in which `no` is a boolean and << merges.
  const composer = new Composer({
    prettyErrors: false,
    uniqueKeys: false,
    schema: 'core',
    merge: false,
    logLevel: 'silent',
  });
  try {
    const scanned = yield* scanTokens(text, lines);
    if (scanned === 'too_deep') return scanned;
    if (scanned.plain) return yield* composeInSlices(scanned.tokens, composer);
    return [...composer.compose(scanned.tokens)];
  } catch (error) {
    if (error instanceof RangeError) return 'too_deep';
    throw error;
  }
}

/** Small enough that so many pieces of text take well under a millisecond. */
const lexemesPerStep = 64;

/**
 * The syntax tree of a text. `plain`: it has neither directives nor tags. The parser takes seconds for a megabyte of
 * open brackets, so depth is counted on the way to it.
 */
function* scanTokens(
  text: string,
  lines: LineCounter,
): Steps<{ readonly tokens: readonly CST.Token[]; readonly plain: boolean } | 'too_deep'> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  let plain = true;
  let depth = 0;
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === '[' || lexeme === '{') depth += 1;
    else if (lexeme === ']' || lexeme === '}') depth = Math.max(0, depth - 1);
    if (depth > maxDepth) return 'too_deep';
    if (lexeme.startsWith('!') || lexeme.startsWith('%')) plain = false;
    tokens.push(...parser.next(lexeme));
    if ((count += 1) % lexemesPerStep === 0) yield;
  }
  tokens.push(...parser.end());
  return { tokens, plain };
}

class DocumentReader implements ParsedDocument {
  readonly file: string;
  private readonly document: Document;
  private readonly lines: LineCounter;
  private plain: unknown = undefined;

  constructor(file: string, document: Document, lines: LineCounter) {
    this.file = file;
    this.document = document;
    this.lines = lines;
  }

  /** What has been read; `undefined` before, and where that failed. */
  get value(): unknown {
    return this.plain;
  }

  /** Reads the value; gives what is wrong with it. */
  *read(): Steps<readonly Fault[]> {
    const found = [...this.document.errors, ...this.document.warnings].slice(0, maxFaults);
    if (found.length > 0) return found.map(({ pos, message }) => this.fault(pos[0], '', sentence(message)));
    const { value, problems } = yield* toPlainValue(this.document);
    this.plain = value;
    return problems
      .slice(0, maxFaults)
      .map(({ offset, pointer, message }) => this.fault(offset, pointer, message));
  }

  lineOf(pointer: string): number {
    let node: unknown = this.document.contents;
    let offset = offsetOf(node);
    for (const key of keysOf(pointer)) {
      const child = this.child(node, key);
      if (child === undefined) break;
      node = child.node;
      offset = child.offset ?? offset;
    }
    return this.line(offset);
  }

  private child(node: unknown, key: string): { node: unknown; offset: number | undefined } | undefined {
    const target = isAlias(node) ? node.resolve(this.document) : node;
    if (isSeq(target)) {
      const item = target.items[Number(key)];
      return item === undefined ? undefined : { node: item, offset: offsetOf(item) };
    }
    if (!isMap(target)) return undefined;
    const pair = target.items.find((entry) => isScalar(entry.key) && String(entry.key.value) === key);
    return pair && { node: pair.value, offset: offsetOf(pair.key) };
  }

  private fault(offset: number | undefined, pointer: string, message: string): Fault {
    return { file: this.file, line: this.line(offset), pointer, message };
  }

  private line(offset: number | undefined): number {
    return offset === undefined ? 1 : Math.max(1, this.lines.linePos(offset).line);
  }
}

/** The parser's messages may run over several lines; a log line may not. */
function sentence(message: string): string {
  if (message.includes('call stack')) return tooDeep;
  return `YAML: ${message.replaceAll(/\s+/g, ' ').trim()}`;
}
