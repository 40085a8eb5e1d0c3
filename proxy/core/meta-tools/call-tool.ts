import { isJsonArray, isJsonObject, parseJson } from '../json/index.ts';
import { explainUnknownName } from './closest-names.ts';
import type { MetaTool, Resolution } from './meta-tool.ts';

/** A rolled-up tool as the menu names it. */
export interface MenuEntry {
  readonly key: string;
  /** What stands beside the name; empty for the name alone. */
  readonly summary: string;
}

/** Above this many names an enum is too much for constrained decoders, and the description lists them instead. */
const MAX_ENUM_NAMES = 500;
const MAX_PICKS = 8;

const INTRODUCTION =
  'More tools exist than are shown here. To use one, call this first with the names of every tool you need; ' +
  'their full definitions are shown to you next, and then you call them. Never guess their parameters.';

/**
 * Makes `call_tool`: one parameter `names` whose `enum` is the menu, so that the list stands once and constrained decoders
 * cannot invent a name.
 *
 * @param name the name it goes by, free among the turn's own tools
 */
export function createCallTool(name: string, menu: readonly MenuEntry[]): MetaTool {
  const keys = new Set(menu.map((entry) => entry.key));
  return {
    definition: {
      name,
      description: describe(menu),
      parameters: JSON.stringify({
        type: 'object',
        properties: { names: { type: 'array', items: itemSchema(menu), minItems: 1, maxItems: MAX_PICKS } },
        required: ['names'],
        additionalProperties: false,
      }),
    },
    resolve: (argumentsText) => resolve(argumentsText, keys),
  };
}

function itemSchema(menu: readonly MenuEntry[]): object {
  return menu.length > MAX_ENUM_NAMES
    ? { type: 'string' }
    : { type: 'string', enum: menu.map((entry) => entry.key) };
}

/** With summaries the names stand there as well, since an enum has no room for them. */
function describe(menu: readonly MenuEntry[]): string {
  const listed = menu.length > MAX_ENUM_NAMES || menu.some((entry) => entry.summary !== '');
  if (!listed) return INTRODUCTION;
  const lines = menu.map(({ key, summary }) => (summary === '' ? `- ${key}` : `- ${key}: ${summary}`));
  return `${INTRODUCTION}\nThe tools:\n${lines.join('\n')}`;
}

function resolve(argumentsText: string, keys: ReadonlySet<string>): Resolution {
  const names = readNames(argumentsText);
  if (names === undefined) {
    return {
      kind: 'answer',
      text: `The arguments could not be read. Send {"names": ["…"]} with up to ${String(MAX_PICKS)} names of the menu.`,
    };
  }
  const spelled = names.map((name) => (keys.has(name) ? name : name.trim()));
  const known = [...new Set(spelled)].filter((name) => keys.has(name));
  if (known.length > 0) return { kind: 'reveal', keys: known };
  return { kind: 'answer', text: explainUnknown(names, keys) };
}

/** Small models write a single name instead of a list, so that counts too. */
function readNames(argumentsText: string): string[] | undefined {
  const value = parseJson(argumentsText);
  if (!isJsonObject(value)) return undefined;
  const { names } = value;
  if (typeof names === 'string') return [names];
  if (!isJsonArray(names)) return undefined;
  return names.flatMap((name) => (typeof name === 'string' ? [name] : []));
}

function explainUnknown(names: readonly string[], keys: ReadonlySet<string>): string {
  if (names.length === 0)
    return 'No name was given. Send the names of the tools you need, as the menu spells them.';
  const lines = names.slice(0, MAX_PICKS).map((name) => explainUnknownName('tool', name, keys));
  return `${lines.join('\n')}\nCall again with names as the menu spells them, or answer without a tool.`;
}
