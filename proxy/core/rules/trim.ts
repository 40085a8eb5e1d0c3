import { applyEdits, parseJson, scanArray, scanObject, sliceSpan } from '../json/index.ts';
import type { Edit, Span } from '../json/index.ts';
import type { DeclaredTool } from '../turn/index.ts';

/** How much of the descriptions may stay, in characters. */
export interface TrimLimits {
  readonly descriptionChars: number | undefined;
  readonly parameterDescriptionChars: number | undefined;
}

/** Schemas nested deeper than this keep their descriptions: no real one is, and the walk stays bounded. */
const MAX_DEPTH = 64;

/** Cuts the tool's description, and those of its parameters, to the limits. */
export function trimDefinition(
  text: string,
  declared: Pick<DeclaredTool, 'kind' | 'definition'>,
  limits: TrimLimits,
): string {
  const scan = scanObject(text, declared.definition.start);
  const edits: Edit[] = [];
  for (const { key, value } of scan.members) {
    if (key === 'description' && limits.descriptionChars !== undefined) {
      edits.push(...cut(text, value, limits.descriptionChars));
    } else if (key === 'parameters' && limits.parameterDescriptionChars !== undefined) {
      walkSchema(text, value, limits.parameterDescriptionChars, edits);
    }
  }
  return applyEdits(text, edits);
}

/** Keywords whose value is a schema, or an array of them. */
const SCHEMA_KEYWORDS = new Set(
  'items prefixItems additionalItems additionalProperties contains propertyNames anyOf oneOf allOf not if then else'.split(
    ' ',
  ),
);
/** Keywords whose value maps names to schemas. */
const SCHEMA_MAPS = new Set('properties patternProperties $defs definitions dependentSchemas'.split(' '));

interface Place {
  readonly span: Span;
  /** In a map every key is a name, so a property called "description" is a schema, not a text. */
  readonly role: 'schema' | 'map';
  readonly depth: number;
}

/** Follows schemas only: `description` inside `default`, `enum` or `examples` is data and stays. */
function walkSchema(text: string, root: Span, limit: number, edits: Edit[]): void {
  const open: Place[] = [{ span: root, role: 'schema', depth: 0 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.depth >= MAX_DEPTH) continue;
    const { span, role } = place;
    const depth = place.depth + 1;
    if (text[span.start] === '[') {
      for (const element of scanArray(text, span.start).elements) open.push({ span: element, role, depth });
    } else if (text[span.start] === '{') {
      for (const { key, value } of scanObject(text, span.start).members) {
        if (role === 'map') open.push({ span: value, role: 'schema', depth });
        else if (key === 'description') edits.push(...cut(text, value, limit));
        else if (SCHEMA_KEYWORDS.has(key)) open.push({ span: value, role: 'schema', depth });
        else if (SCHEMA_MAPS.has(key)) open.push({ span: value, role: 'map', depth });
      }
    }
  }
}

function cut(text: string, span: Span, limit: number): Edit[] {
  const value = parseJson(sliceSpan(text, span));
  if (typeof value !== 'string' || value.length <= limit) return [];
  return [{ ...span, text: JSON.stringify(shorten(value, limit)) }];
}

/** ASCII, so that a body of ASCII stays one: half the memory of any other, and copied rather than encoded. */
const MARK = '...';

/** Cuts at the last space within the limit where there is one in its second half, never inside a surrogate pair. */
export function shorten(value: string, limit: number): string {
  if (value.length <= limit) return value;
  if (limit <= MARK.length) return MARK.slice(0, limit);
  const head = value.slice(0, limit - MARK.length);
  const space = head.lastIndexOf(' ');
  const kept = space > limit / 2 ? head.slice(0, space) : head;
  return kept.replace(/[\uD800-\uDBFF]$/, '').trimEnd() + MARK;
}
