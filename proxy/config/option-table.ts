import { optionsSchema } from '../../schemas/generated/options.ts';
import type { Options } from '../../schemas/generated/options.ts';

/** The name of an option, as in the schema. */
export type OptionName = keyof Options;

/** One option as help texts, tables and the loader need it. */
export interface OptionDescription {
  readonly name: OptionName;
  /** With its dashes. */
  readonly flag: string;
  readonly env: string;
  readonly description: string;
  readonly default: string | number | undefined;
  readonly kind: 'text' | 'number';
  /** The values that it may have, where they are few. */
  readonly choices: readonly string[] | undefined;
  /** The form of its text, where it has one. */
  readonly format: 'url' | 'listen' | undefined;
  readonly secret: boolean;
  /** The secret option that the file named by this one holds. */
  readonly holds: 'upstreamApiKey' | 'adminApiKey' | undefined;
}

/** What a property of the schema may say. */
interface OptionProperty {
  readonly type: 'string' | 'integer' | 'number';
  readonly description: string;
  readonly default?: string | number;
  readonly enum?: readonly string[];
  readonly 'x-flag': string;
  readonly 'x-env': string;
  readonly 'x-format'?: 'url' | 'listen';
  readonly 'x-secret'?: boolean;
  readonly 'x-holds'?: 'upstreamApiKey' | 'adminApiKey';
}

const properties: Readonly<Record<OptionName, OptionProperty>> = optionsSchema.properties;

/** Every option, in the order of the schema: the one source of `--help`, of the table in the README and of the loader. */
export function describeOptions(): OptionDescription[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isOptionName(name)) return [];
    return [
      {
        name,
        flag: property['x-flag'],
        env: property['x-env'],
        description: property.description,
        default: property.default,
        kind: property.type === 'string' ? 'text' : 'number',
        choices: property.enum,
        format: property['x-format'],
        secret: property['x-secret'] ?? false,
        holds: property['x-holds'],
      } satisfies OptionDescription,
    ];
  });
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(properties, name);
}
