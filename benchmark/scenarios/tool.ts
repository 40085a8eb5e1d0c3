/** A function tool of the Responses API, as a request declares it. */
export interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, object>>;
    readonly required: readonly string[];
  };
  readonly strict: false;
}

/** What a scenario says about a tool; the rest is the same for all. */
export interface ToolText {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
}

/** Declares a tool. */
export function declare({ name, description, properties, required }: ToolText): FunctionTool {
  const parameters = { type: 'object', properties, required } as const;
  return { type: 'function', name, description, parameters, strict: false };
}

/** A string parameter. */
export function text(description: string): object {
  return { type: 'string', description };
}

/** A string parameter of a form: `date`, `email`, `uri` and so on. */
export function formed(format: string, description: string): object {
  return { type: 'string', format, description };
}

/** A string parameter with fixed values. */
export function oneOf(values: readonly string[], description: string): object {
  return { type: 'string', enum: values, description };
}

/** A whole number from `minimum` to `maximum`. */
export function whole(minimum: number, maximum: number, description: string): object {
  return { type: 'integer', minimum, maximum, description };
}

/** A list. */
export function listOf(items: object, description: string): object {
  return { type: 'array', items, description };
}
