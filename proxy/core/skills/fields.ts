import type { ObjectScan } from '../json/index.ts';
import { valueIn } from './places.ts';
import type { SkillStrategy } from './wrap.ts';

/** What the app asks for in fields of ours, which no upstream knows. */
export interface SkillFields {
  readonly strategy?: SkillStrategy;
  /** Whether the Skill tool is offered. */
  readonly includeSkillTool?: boolean;
}

/** A field of ours with a value that it cannot have. */
export interface SkillFieldError {
  /** The field, for `param` of an error answer. */
  readonly param: 'strategy' | 'include_skill_tool';
  /** A sentence for the app's author. */
  readonly message: string;
}

/** The fields' names on the wire. */
export const fieldNames = ['strategy', 'include_skill_tool'] as const;

/** Reads the fields of a request. `null` counts as not sent, as clients send it for what is not set. */
export function readFields(
  text: string,
  body: ObjectScan,
): { readonly fields: SkillFields; readonly errors: readonly SkillFieldError[] } {
  const errors: SkillFieldError[] = [];
  const strategy = valueIn(text, body, 'strategy') ?? undefined;
  const include = valueIn(text, body, 'include_skill_tool') ?? undefined;
  if (strategy !== undefined && strategy !== 'message' && strategy !== 'system') {
    errors.push({ param: 'strategy', message: "strategy must be 'message' or 'system'." });
  }
  if (include !== undefined && typeof include !== 'boolean') {
    errors.push({ param: 'include_skill_tool', message: 'include_skill_tool must be true or false.' });
  }
  return {
    fields: {
      ...(strategy === 'message' || strategy === 'system' ? { strategy } : {}),
      ...(typeof include === 'boolean' ? { includeSkillTool: include } : {}),
    },
    errors,
  };
}
