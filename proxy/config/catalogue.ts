import { pointerTo } from './fault.ts';
import type { Fault } from './fault.ts';
import type { ParsedDocument } from './parse-document.ts';
import { faultIn } from './parse-rules.ts';

/** What a catalogue file names: tools that may be rolled up. */
export interface Catalogue {
  /** Names as the app knows them; `namespace.name` for functions inside a namespace. */
  readonly names: readonly string[];
  readonly faults: readonly Fault[];
}

/**
 * Reads a catalogue: an array whose entries are names or tools. Tools may be written as either API takes them, so
 * that the `tools` of a recorded request can be used as it is.
 */
export function readCatalogue(source: ParsedDocument): Catalogue {
  if (!Array.isArray(source.value)) {
    return { names: [], faults: [faultIn(source, '', 'a catalogue must be a list of tools or of names')] };
  }
  const names: string[] = [];
  const faults: Fault[] = [];
  source.value.forEach((entry: unknown, index) => {
    const found = namesIn(entry);
    if (found.length > 0) names.push(...found);
    else
      faults.push(faultIn(source, pointerTo('', index), 'this entry must be a name or a tool with a name'));
  });
  return { names, faults };
}

function namesIn(entry: unknown): string[] {
  if (typeof entry === 'string') return entry === '' ? [] : [entry];
  if (!isRecord(entry)) return [];
  const own = nameOf(entry) ?? (isRecord(entry['function']) ? nameOf(entry['function']) : undefined);
  if (own === undefined) return [];
  const inner: readonly unknown[] = Array.isArray(entry['tools']) ? entry['tools'] : [];
  if (entry['type'] !== 'namespace') return [own];
  return inner.flatMap((tool) => namesIn(tool).map((name) => `${own}.${name}`));
}

function nameOf(tool: Readonly<Record<string, unknown>>): string | undefined {
  const name = tool['name'];
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The catalogue file that a document names, read without trust: the document may not have been checked yet. */
export function catalogueFileOf(value: unknown): string | undefined {
  const path = ['spec', 'selection', 'catalogue', 'file'];
  let at = value;
  for (const key of path) at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return typeof at === 'string' ? at : undefined;
}
