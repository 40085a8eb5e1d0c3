/**
 * The one catalogue of errors that Toolroll itself answers with. Upstream errors are never rewritten into these.
 *
 * Every code is documented in ARCHITECTURE.md ("Errors"); a test walks both lists.
 */

/** One row of the catalogue. */
export interface ErrorDefinition {
  /** HTTP status where no byte of the answer has been sent. */
  readonly status: number;
  /** OpenAI's `type` field: which kind of failure the official clients shall see. */
  readonly type: 'invalid_request_error' | 'server_error' | 'authentication_error' | 'rate_limit_error';
  /** The message; `{name}` is replaced by the detail of that name. */
  readonly message: string;
}

export const errorCatalogue = {
  body_too_large: {
    status: 413,
    type: 'invalid_request_error',
    message:
      'The request body is larger than the limit of {limit} bytes. Raise TOOLROLL_BODY_LIMIT_BYTES if it should pass.',
  },
  body_unreadable: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The request body could not be read: {reason}.',
  },
  tool_denied: {
    status: 400,
    type: 'invalid_request_error',
    message: "tool_choice forces '{tool}', which rule '{rule}' of rule set '{ruleSet}' denies.",
  },
  selection_exhausted: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The model named no known tool in {rounds} rounds of selection.',
  },
  rules_unavailable: {
    status: 503,
    type: 'server_error',
    message: 'No valid rules have been loaded: {reason}. Turns are refused so that a deny rule cannot lapse.',
  },
  upstream_unreachable: {
    status: 502,
    type: 'server_error',
    message: 'The upstream could not be reached: {reason}.',
  },
  upstream_closed: {
    status: 502,
    type: 'server_error',
    message: 'The upstream closed the connection before its answer was whole.',
  },
  upstream_malformed: {
    status: 502,
    type: 'server_error',
    message: 'The upstream answered with something that cannot be read: {reason}.',
  },
  upstream_timeout: {
    status: 504,
    type: 'server_error',
    message: 'The upstream sent nothing for {seconds} seconds ({phase}).',
  },
  upstream_refused: {
    status: 502,
    type: 'server_error',
    message: 'The upstream answered a later hop with {status}: {message}',
  },
  internal: {
    status: 500,
    type: 'server_error',
    message: 'Toolroll failed to handle this turn. The log has the details.',
  },
  unauthorized: {
    status: 401,
    type: 'authentication_error',
    message: 'A valid bearer token is required: set the Authorization header to the admin key.',
  },
  loopback_only: {
    status: 403,
    type: 'authentication_error',
    message:
      'Without an admin key, /api answers to callers on loopback only. Set ADMIN_API_KEY or ADMIN_API_KEY_FILE.',
  },
  origin_refused: {
    status: 403,
    type: 'authentication_error',
    message: 'Requests from pages of another origin are refused.',
  },
  host_refused: {
    status: 403,
    type: 'authentication_error',
    message:
      'Without an admin key, /api answers under a loopback name only, such as localhost; the Host header says another. Set ADMIN_API_KEY or ADMIN_API_KEY_FILE.',
  },
  not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: 'There is no {method} {path} here. See /docs.',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    message: '{path} does not answer to {method}.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    message: 'Content type {contentType} is not accepted here; send {accepted}.',
  },
  document_too_large: {
    status: 413,
    type: 'invalid_request_error',
    message: 'The body is larger than the {limit} bytes that are accepted here.',
  },
  invalid_request: {
    status: 400,
    type: 'invalid_request_error',
    message: '{reason}',
  },
  reload_refused: {
    status: 422,
    type: 'invalid_request_error',
    message: 'What is on disk was not taken, and what served before goes on: {reason}',
  },
  rules_read_only: {
    status: 409,
    type: 'invalid_request_error',
    message:
      'The rules directory cannot be written ({reason}), as is usual for a mounted ConfigMap. Change the ConfigMap, in Git or with kubectl; the proxy follows by itself.',
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errorCatalogue;

/** The body of an error answer, in the shape of OpenAI's API. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: ErrorDefinition['type'];
    readonly param: string | null;
    readonly code: ErrorCode;
  };
}

/** A failure that Toolroll answers for itself, from the catalogue. */
export class ToolrollError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** The request field at fault, in OpenAI's `param`; null where none is. */
  readonly param: string | null;

  /**
   * @param code a code of the catalogue
   * @param details values for the `{name}` places of the message
   * @param options `param`: the request field at fault; `cause`: what led to this, for the log only
   */
  constructor(
    code: ErrorCode,
    details: Readonly<Record<string, string | number>> = {},
    options: { readonly param?: string; readonly cause?: unknown } = {},
  ) {
    super(fill(errorCatalogue[code].message, details), { cause: options.cause });
    this.name = 'ToolrollError';
    this.code = code;
    this.status = errorCatalogue[code].status;
    this.param = options.param ?? null;
  }

  /** The OpenAI-shaped body, without anything of the cause. */
  toBody(): ErrorBody {
    return {
      error: {
        message: this.message,
        type: errorCatalogue[this.code].type,
        param: this.param,
        code: this.code,
      },
    };
  }
}

function fill(message: string, details: Readonly<Record<string, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (place, name: string) => String(details[name] ?? place));
}
