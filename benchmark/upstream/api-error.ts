/** Errors in the shape and words of the OpenAI API (`{"error":{message,type,param,code}}`). */

/** What an {@link ApiError} is made of. */
export interface ApiErrorParts {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

/** An error that the stand-in answers with. */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;

  constructor(parts: ApiErrorParts) {
    super(parts.message);
    this.status = parts.status;
    this.type = parts.type ?? (parts.status >= 500 ? 'server_error' : 'invalid_request_error');
    this.param = parts.param ?? null;
    this.code = parts.code ?? null;
  }

  /** The JSON body of the answer. */
  toBody(): string {
    const { message, type, param, code } = this;
    return JSON.stringify({ error: { message, type, param, code } }, null, 2);
  }
}

/** A 400 about one parameter. */
export function invalid(param: string | null, code: string | null, message: string): ApiError {
  return new ApiError({ status: 400, message, param, code });
}

/** 400: a parameter that must be there is not. */
export function missing(param: string): ApiError {
  return invalid(param, 'missing_required_parameter', `Missing required parameter: '${param}'.`);
}

/** 400: a parameter of the wrong JSON type. */
export function wrongType(param: string, expected: string, got: unknown): ApiError {
  const message = `Invalid type for '${param}': expected ${expected}, but got ${describe(got)} instead.`;
  return invalid(param, 'invalid_type', message);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'object':
      return 'an object';
    case 'number':
      return Number.isInteger(value) ? 'an integer' : 'a decimal';
    case 'string':
      return 'a string';
    case 'boolean':
      return 'a boolean';
    default:
      return 'nothing';
  }
}
