import { createHash } from 'node:crypto';
import type { CompiledRuleSet } from '../core/rules/index.ts';
import { catalogueFileOf, readCatalogue } from './catalogue.ts';
import { fileFault, inPlace } from './fault.ts';
import type { Fault } from './fault.ts';
import { runInSlices } from './pace.ts';
import type { Steps } from './pace.ts';
import { decodeFile, parseFile } from './parse-document.ts';
import type { ParsedDocument } from './parse-document.ts';
import { checkDocuments, compileDocument, faultIn, findDuplicateNames } from './parse-rules.ts';
import type { RuleDocument } from './parse-rules.ts';
import { prepareChecks } from './validator.ts';

/** The files of a rules directory by name. */
export type RuleFiles = ReadonlyMap<string, Uint8Array>;

/** One file of a revision, for status pages. */
export interface LoadedFile {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the content, in hex. */
  readonly sha256: string;
  /** The names of its rule sets, in order; empty for a catalogue. */
  readonly ruleSets: readonly string[];
}

/** What a set of files comes to. With faults, `ruleSets` is empty and nothing of it may be used. */
export interface LoadedRules {
  /** The content hash of all files: the same files give the same revision everywhere. */
  readonly revision: string;
  readonly files: readonly LoadedFile[];
  /** In the order in which they are tried: files in lexical order, documents as they stand. */
  readonly ruleSets: readonly CompiledRuleSet[];
  readonly faults: readonly Fault[];
  /** True where there is no rule file at all, which is valid: everything passes through. */
  readonly empty: boolean;
}

/** The revision of a set of files: 12 hex digits of the SHA-256 over names and contents. */
export function revisionOf(files: RuleFiles): string {
  const hash = createHash('sha256');
  for (const [name, bytes] of inOrder(files)) {
    hash.update(`${name}\0${String(bytes.byteLength)}\0`).update(bytes);
  }
  return hash.digest('hex').slice(0, 12);
}

/**
 * Parses, checks and compiles a set of files; touches no disk. Every fault of every file is told at once. Every few
 * milliseconds it gives way to other work, so that a large reload does not hold up running turns.
 */
export function loadFiles(files: RuleFiles): Promise<LoadedRules> {
  return runInSlices(loadInSteps(files));
}

function* loadInSteps(files: RuleFiles): Steps<LoadedRules> {
  yield* prepareChecks();
  const parsed = new Map<string, readonly ParsedDocument[]>();
  const faults: Fault[] = [];
  for (const [name, bytes] of inOrder(files)) {
    const decoded = decodeFile(name, bytes);
    const result =
      'fault' in decoded ? { documents: [], faults: [decoded.fault] } : yield* parseFile(name, decoded.text);
    parsed.set(name, result.documents);
    faults.push(...result.faults);
    yield;
  }
  const catalogues = readCatalogues(parsed);
  faults.push(...catalogues.faults);
  const documents: RuleDocument[] = [];
  for (const [name, sources] of parsed) {
    if (catalogues.names.has(name)) continue;
    const checked = yield* checkDocuments(sources);
    documents.push(...checked.documents);
    faults.push(...checked.faults);
    yield;
  }
  faults.push(...findDuplicateNames(documents));
  const ruleSets: CompiledRuleSet[] = [];
  for (const document of documents) {
    const compiled = compileWithCatalogue(document, catalogues.names, files);
    ruleSets.push(compiled.ruleSet);
    faults.push(...compiled.faults);
    yield;
  }
  return {
    revision: revisionOf(files),
    files: describe(files, documents),
    ruleSets: faults.length === 0 ? ruleSets : [],
    faults: inPlace(faults),
    empty: files.size === 0,
  };
}

/** Lexical order by code unit, the same on every machine and in every language setting. */
function inOrder(files: RuleFiles): [string, Uint8Array][] {
  return [...files].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The JSON files that rule sets name as catalogues, read; they are no rule sets themselves. */
function readCatalogues(parsed: ReadonlyMap<string, readonly ParsedDocument[]>): {
  readonly names: ReadonlyMap<string, readonly string[]>;
  readonly faults: readonly Fault[];
} {
  const names = new Map<string, readonly string[]>();
  const faults: Fault[] = [];
  for (const document of [...parsed.values()].flat()) {
    const file = catalogueFileOf(document.value);
    const sources = file === undefined ? undefined : parsed.get(file);
    if (file === undefined || sources === undefined || names.has(file) || !file.endsWith('.json')) continue;
    const [source, another] = sources;
    if (another !== undefined) faults.push(fileFault(file, 'a catalogue must be one document'));
    const read = source === undefined ? { names: [], faults: [] } : readCatalogue(source);
    names.set(file, read.names);
    faults.push(...read.faults);
  }
  return { names, faults };
}

function compileWithCatalogue(
  document: RuleDocument,
  catalogues: ReadonlyMap<string, readonly string[]>,
  files: RuleFiles,
): { readonly ruleSet: CompiledRuleSet; readonly faults: readonly Fault[] } {
  const file = document.ruleSet.spec.selection?.catalogue?.file;
  const compiled = compileDocument(document, file === undefined ? undefined : (catalogues.get(file) ?? []));
  if (file === undefined || files.has(file)) return { ruleSet: compiled.compiled, faults: compiled.faults };
  const missing = `the catalogue file '${file}' is not in the rules directory`;
  return {
    ruleSet: compiled.compiled,
    faults: [...compiled.faults, faultIn(document.source, '/spec/selection/catalogue/file', missing)],
  };
}

function describe(files: RuleFiles, documents: readonly RuleDocument[]): LoadedFile[] {
  return inOrder(files).map(([name, bytes]) => ({
    name,
    bytes: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    ruleSets: documents
      .filter(({ source }) => source.file === name)
      .map(({ ruleSet }) => ruleSet.metadata.name),
  }));
}
