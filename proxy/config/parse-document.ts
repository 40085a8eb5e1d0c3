import { Lexer, LineCounter, isAlias, isMap, isScalar, isSeq, parseAllDocuments } from 'yaml';
import type { Document } from 'yaml';
import { fileFault, keysOf, maxFaults } from './fault.ts';
import type { Fault } from './fault.ts';
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

/** Parses the text of one file: YAML with one or more documents; JSON is YAML. */
export function parseFile(file: string, text: string): ParsedFile {
  if (isTooDeep(text)) return { documents: [], faults: [fileFault(file, tooDeep)] };
  const lines = new LineCounter();
  let parsed: readonly Document[];
  try {
    // The core schema holds even where a %YAML directive asks for 1.1, in which `no` is a boolean and << merges.
    parsed = [
      ...parseAllDocuments(text, {
        lineCounter: lines,
        prettyErrors: false,
        uniqueKeys: false,
        schema: 'core',
        merge: false,
        logLevel: 'silent',
      }),
    ];
  } catch (error) {
    if (error instanceof RangeError) return { documents: [], faults: [fileFault(file, tooDeep)] };
    throw error;
  }
  const documents: ParsedDocument[] = [];
  const faults: Fault[] = [];
  for (const document of parsed) {
    const own = new DocumentReader(file, document, lines);
    faults.push(...own.faults);
    if (faults.length >= maxFaults) break;
    if (own.value !== null && own.value !== undefined) documents.push(own);
  }
  if (documents.length === 0 && faults.length === 0) {
    faults.push(fileFault(file, 'an empty file is refused, so that a truncated one cannot drop a deny rule'));
  }
  return { documents: faults.length === 0 ? documents : [], faults };
}

const tooDeep = `the file is nested more than ${String(maxDepth)} levels deep`;

/** The parser takes seconds for a megabyte of open brackets, so depth is looked at before. */
function isTooDeep(text: string): boolean {
  // Brackets inside of texts count too here; only where that is too much does the lexer tell them apart.
  if (depthOf(text) <= maxDepth) return false;
  return depthOf(new Lexer().lex(text)) > maxDepth;
}

function depthOf(tokens: Iterable<string>): number {
  let depth = 0;
  let deepest = 0;
  for (const token of tokens) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, (depth += 1));
    else if (token === ']' || token === '}') depth = Math.max(0, depth - 1);
    if (deepest > maxDepth) break;
  }
  return deepest;
}

class DocumentReader implements ParsedDocument {
  readonly file: string;
  readonly value: unknown;
  readonly faults: readonly Fault[];
  private readonly document: Document;
  private readonly lines: LineCounter;

  constructor(file: string, document: Document, lines: LineCounter) {
    this.file = file;
    this.document = document;
    this.lines = lines;
    const found = [...document.errors, ...document.warnings].slice(0, maxFaults);
    const syntax = found.map(({ pos, message }) => this.fault(pos[0], '', sentence(message)));
    if (syntax.length > 0) {
      this.value = undefined;
      this.faults = syntax;
      return;
    }
    const { value, problems } = toPlainValue(document);
    this.value = value;
    this.faults = problems
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
