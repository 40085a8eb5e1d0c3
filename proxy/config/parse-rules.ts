import type { RuleSet } from '../../schemas/generated/ruleset.ts';
import { compileRuleSet } from '../core/rules/index.ts';
import type { CompiledRuleSet } from '../core/rules/index.ts';
import { explain } from './explain.ts';
import { inPlace, maxFaults } from './fault.ts';
import type { Fault } from './fault.ts';
import { runAtOnce } from './pace.ts';
import type { Steps } from './pace.ts';
import { parseFile } from './parse-document.ts';
import type { ParsedDocument } from './parse-document.ts';
import { checkRuleSet } from './validator.ts';

/** A document that its schema accepts, with the way back to its lines. */
export interface RuleDocument {
  readonly source: ParsedDocument;
  readonly ruleSet: RuleSet;
}

/** The rule sets of one file. With faults, the file must not be used. */
export interface ParsedRules {
  readonly documents: readonly RuleDocument[];
  readonly faults: readonly Fault[];
}

/** Parses one file and checks each document against the schema. */
function* parseRules(file: string, text: string): Steps<ParsedRules> {
  const parsed = yield* parseFile(file, text);
  const checked = yield* checkDocuments(parsed.documents);
  return { documents: checked.documents, faults: [...parsed.faults, ...checked.faults] };
}

/** Checks parsed documents against the schema of rule sets, in steps. */
export function* checkDocuments(parsed: readonly ParsedDocument[]): Steps<ParsedRules> {
  const documents: RuleDocument[] = [];
  const faults: Fault[] = [];
  for (const source of parsed) {
    if (faults.length >= maxFaults) break;
    const checked = yield* checkRuleSet(source.value);
    if (checked.ok) documents.push({ source, ruleSet: checked.value });
    else
      faults.push(...explain(checked.errors).map((found) => faultIn(source, found.pointer, found.message)));
  }
  return { documents, faults };
}

/** Compiles one rule set; what the compiler finds gets its place in the file. */
export function compileDocument(
  { source, ruleSet }: RuleDocument,
  catalogueNames: readonly string[] | undefined,
): { readonly compiled: CompiledRuleSet; readonly faults: readonly Fault[] } {
  const compiled = compileRuleSet(ruleSet, catalogueNames === undefined ? {} : { catalogueNames });
  return {
    compiled: compiled.ruleSet,
    faults: compiled.faults.map(({ pointer, message }) => faultIn(source, pointer, message)),
  };
}

/** Rule set names must be unique: they are labels of metrics, and a copied file is a mistake. */
export function findDuplicateNames(documents: readonly RuleDocument[]): Fault[] {
  const owners = new Map<string, ParsedDocument>();
  const faults: Fault[] = [];
  for (const { source, ruleSet } of documents) {
    const { name } = ruleSet.metadata;
    const owner = owners.get(name);
    if (owner === undefined) {
      owners.set(name, source);
      continue;
    }
    const place = `${owner.file} line ${String(owner.lineOf('/metadata/name'))}`;
    faults.push(
      faultIn(source, '/metadata/name', `${source.file} names a rule set '${name}', as ${place} does`),
    );
  }
  return faults;
}

/** A fault at a pointer of a document. */
export function faultIn(source: ParsedDocument, pointer: string, message: string): Fault {
  return { file: source.file, line: source.lineOf(pointer), pointer, message };
}

/** What can be said of one text alone. */
export interface CompiledText {
  /** Empty where there are faults. */
  readonly ruleSets: readonly CompiledRuleSet[];
  readonly faults: readonly Fault[];
}

/**
 * Parses, checks and compiles the rule sets of one text by itself, the way the loader does. A catalogue file that it
 * names is not looked for, so such a rule set may roll up every tool that its patterns take.
 *
 * @param fileName the name that faults shall carry
 */
export function compileText(text: string, fileName: string): CompiledText {
  const { documents, faults } = runAtOnce(parseRules(fileName, text));
  const compiled = documents.map((document) => compileDocument(document, undefined));
  const all = [...faults, ...findDuplicateNames(documents), ...compiled.flatMap((one) => one.faults)];
  return { ruleSets: all.length > 0 ? [] : compiled.map((one) => one.compiled), faults: inPlace(all) };
}

/** Says whether a text would load, and everything that is wrong with it. */
export function validateText(
  text: string,
  fileName: string,
): { readonly valid: boolean; readonly faults: readonly Fault[] } {
  const { faults } = compileText(text, fileName);
  return { valid: faults.length === 0, faults };
}
