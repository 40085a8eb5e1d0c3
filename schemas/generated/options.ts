// Generated from schemas/options.schema.json by `npm run generate`. Do not edit.

/**
 * The options of one process, resolved from flags, environment and defaults, in this order.
 */
export interface Options {
  /**
   * The model's base URL, /v1 included.
   */
  upstreamBaseUrl: string;
  /**
   * Sent to the upstream as Bearer instead of the app's Authorization. Left out: the app's passes through.
   */
  upstreamApiKey?: string;
  /**
   * A file that holds the upstream key.
   */
  upstreamApiKeyFile?: string;
  /**
   * Bearer token for everything under /api. Left out: /api answers to loopback callers only.
   */
  adminApiKey?: string;
  /**
   * A file that holds the admin key.
   */
  adminApiKeyFile?: string;
  /**
   * Where the proxy listens, host:port; port 0 picks one.
   */
  proxyListen: string;
  /**
   * Where health, metrics and the control API listen, host:port.
   */
  controlListen: string;
  /**
   * The directory of rule files: *.yaml, *.yml and *.json.
   */
  rulesDir: string;
  /**
   * What a turn gets while no valid rules were ever loaded: refuse (503) or pass (forwarded as it is).
   */
  withoutRules: 'refuse' | 'pass';
  /**
   * The least severe level that is logged, as JSON lines on stderr.
   */
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /**
   * The largest request body of a turn, in bytes; above it the app gets a 413.
   */
  bodyLimitBytes: number;
  /**
   * How long connecting to the upstream may take.
   */
  connectTimeoutSeconds: number;
  /**
   * How long the upstream may take to the first byte of its answer. The default fits slow reasoning.
   */
  firstByteTimeoutSeconds: number;
  /**
   * How long the upstream may be silent inside an answer.
   */
  idleTimeoutSeconds: number;
  /**
   * How often a comment is sent on a stream that has nothing to say; 0: never.
   */
  keepaliveSeconds: number;
  /**
   * How long running turns may take to end after SIGTERM.
   */
  drainSeconds: number;
  /**
   * How often the rules directory is looked at without being told of a change.
   */
  configPollSeconds: number;
  /**
   * How many audit records are kept in memory; 0: none.
   */
  auditEntries: number;
  /**
   * How many connections the proxy holds at once; 0: no limit.
   */
  maxConnections: number;
  /**
   * The directory of skills: *.md and * /SKILL.md. Left out: skills/ inside the rules directory.
   */
  skillsDir?: string;
  /**
   * The most tokens, as estimated, that one skill may have; a larger one is not loaded.
   */
  skillMaxTokens: number;
}

/** The JSON Schema (draft-07) that the types above were generated from. */
export const optionsSchema = {
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "https://toolroll.dev/schemas/v1alpha1/options.schema.json",
  "title": "Options",
  "description": "The options of one process, resolved from flags, environment and defaults, in this order.",
  "type": "object",
  "additionalProperties": false,
  "required": [
    "upstreamBaseUrl",
    "proxyListen",
    "controlListen",
    "rulesDir",
    "withoutRules",
    "logLevel",
    "bodyLimitBytes",
    "connectTimeoutSeconds",
    "firstByteTimeoutSeconds",
    "idleTimeoutSeconds",
    "keepaliveSeconds",
    "drainSeconds",
    "configPollSeconds",
    "auditEntries",
    "maxConnections",
    "skillMaxTokens"
  ],
  "properties": {
    "upstreamBaseUrl": {
      "description": "The model's base URL, /v1 included.",
      "type": "string",
      "default": "https://api.openai.com/v1",
      "examples": [
        "http://127.0.0.1:11434/v1"
      ],
      "x-format": "url",
      "x-flag": "--upstream-base-url",
      "x-env": "UPSTREAM_BASE_URL"
    },
    "upstreamApiKey": {
      "description": "Sent to the upstream as Bearer instead of the app's Authorization. Left out: the app's passes through.",
      "type": "string",
      "x-secret": true,
      "x-flag": "--upstream-api-key",
      "x-env": "UPSTREAM_API_KEY"
    },
    "upstreamApiKeyFile": {
      "description": "A file that holds the upstream key.",
      "type": "string",
      "x-holds": "upstreamApiKey",
      "x-flag": "--upstream-api-key-file",
      "x-env": "UPSTREAM_API_KEY_FILE"
    },
    "adminApiKey": {
      "description": "Bearer token for everything under /api. Left out: /api answers to loopback callers only.",
      "type": "string",
      "x-secret": true,
      "x-flag": "--admin-api-key",
      "x-env": "ADMIN_API_KEY"
    },
    "adminApiKeyFile": {
      "description": "A file that holds the admin key.",
      "type": "string",
      "x-holds": "adminApiKey",
      "x-flag": "--admin-api-key-file",
      "x-env": "ADMIN_API_KEY_FILE"
    },
    "proxyListen": {
      "description": "Where the proxy listens, host:port; port 0 picks one.",
      "type": "string",
      "default": "127.0.0.1:8080",
      "x-format": "listen",
      "x-flag": "--proxy-listen",
      "x-env": "TOOLROLL_PROXY_LISTEN"
    },
    "controlListen": {
      "description": "Where health, metrics and the control API listen, host:port.",
      "type": "string",
      "default": "0.0.0.0:9090",
      "examples": [
        "[::]:9090"
      ],
      "x-format": "listen",
      "x-flag": "--control-listen",
      "x-env": "TOOLROLL_CONTROL_LISTEN"
    },
    "rulesDir": {
      "description": "The directory of rule files: *.yaml, *.yml and *.json.",
      "type": "string",
      "default": "/etc/toolroll/rules",
      "x-flag": "--rules-dir",
      "x-env": "TOOLROLL_RULES_DIR"
    },
    "withoutRules": {
      "description": "What a turn gets while no valid rules were ever loaded: refuse (503) or pass (forwarded as it is).",
      "type": "string",
      "enum": [
        "refuse",
        "pass"
      ],
      "default": "refuse",
      "x-flag": "--without-rules",
      "x-env": "TOOLROLL_WITHOUT_RULES"
    },
    "logLevel": {
      "description": "The least severe level that is logged, as JSON lines on stderr.",
      "type": "string",
      "enum": [
        "trace",
        "debug",
        "info",
        "warn",
        "error",
        "fatal",
        "silent"
      ],
      "default": "info",
      "x-flag": "--log-level",
      "x-env": "TOOLROLL_LOG_LEVEL"
    },
    "bodyLimitBytes": {
      "description": "The largest request body of a turn, in bytes; above it the app gets a 413.",
      "type": "integer",
      "minimum": 1,
      "default": 67108864,
      "x-flag": "--body-limit-bytes",
      "x-env": "TOOLROLL_BODY_LIMIT_BYTES"
    },
    "connectTimeoutSeconds": {
      "description": "How long connecting to the upstream may take.",
      "type": "number",
      "exclusiveMinimum": 0,
      "maximum": 2000000,
      "default": 10,
      "x-flag": "--connect-timeout-seconds",
      "x-env": "TOOLROLL_CONNECT_TIMEOUT_SECONDS"
    },
    "firstByteTimeoutSeconds": {
      "description": "How long the upstream may take to the first byte of its answer. The default fits slow reasoning.",
      "type": "number",
      "exclusiveMinimum": 0,
      "maximum": 2000000,
      "default": 600,
      "x-flag": "--first-byte-timeout-seconds",
      "x-env": "TOOLROLL_FIRST_BYTE_TIMEOUT_SECONDS"
    },
    "idleTimeoutSeconds": {
      "description": "How long the upstream may be silent inside an answer.",
      "type": "number",
      "exclusiveMinimum": 0,
      "maximum": 2000000,
      "default": 600,
      "x-flag": "--idle-timeout-seconds",
      "x-env": "TOOLROLL_IDLE_TIMEOUT_SECONDS"
    },
    "keepaliveSeconds": {
      "description": "How often a comment is sent on a stream that has nothing to say; 0: never.",
      "type": "number",
      "minimum": 0,
      "maximum": 2000000,
      "default": 15,
      "x-flag": "--keepalive-seconds",
      "x-env": "TOOLROLL_KEEPALIVE_SECONDS"
    },
    "drainSeconds": {
      "description": "How long running turns may take to end after SIGTERM.",
      "type": "number",
      "minimum": 0,
      "maximum": 2000000,
      "default": 30,
      "x-flag": "--drain-seconds",
      "x-env": "TOOLROLL_DRAIN_SECONDS"
    },
    "configPollSeconds": {
      "description": "How often the rules directory is looked at without being told of a change.",
      "type": "number",
      "exclusiveMinimum": 0,
      "maximum": 2000000,
      "default": 30,
      "x-flag": "--config-poll-seconds",
      "x-env": "TOOLROLL_CONFIG_POLL_SECONDS"
    },
    "auditEntries": {
      "description": "How many audit records are kept in memory; 0: none.",
      "type": "integer",
      "minimum": 0,
      "maximum": 1000000,
      "default": 1000,
      "x-flag": "--audit-entries",
      "x-env": "TOOLROLL_AUDIT_ENTRIES"
    },
    "maxConnections": {
      "description": "How many connections the proxy holds at once; 0: no limit.",
      "type": "integer",
      "minimum": 0,
      "default": 0,
      "x-flag": "--max-connections",
      "x-env": "TOOLROLL_MAX_CONNECTIONS"
    },
    "skillsDir": {
      "description": "The directory of skills: *.md and */SKILL.md. Left out: skills/ inside the rules directory.",
      "type": "string",
      "x-flag": "--skills-dir",
      "x-env": "TOOLROLL_SKILLS_DIR"
    },
    "skillMaxTokens": {
      "description": "The most tokens, as estimated, that one skill may have; a larger one is not loaded.",
      "type": "integer",
      "minimum": 1,
      "default": 10000,
      "x-flag": "--skill-max-tokens",
      "x-env": "TOOLROLL_SKILL_MAX_TOKENS"
    }
  },
  "examples": [
    {
      "upstreamBaseUrl": "https://api.openai.com/v1",
      "proxyListen": "127.0.0.1:8080",
      "controlListen": "0.0.0.0:9090",
      "rulesDir": "/etc/toolroll/rules",
      "withoutRules": "refuse",
      "logLevel": "info",
      "bodyLimitBytes": 67108864,
      "connectTimeoutSeconds": 10,
      "firstByteTimeoutSeconds": 600,
      "idleTimeoutSeconds": 600,
      "keepaliveSeconds": 15,
      "drainSeconds": 30,
      "configPollSeconds": 30,
      "auditEntries": 1000,
      "maxConnections": 0,
      "skillMaxTokens": 10000
    }
  ]
} as const;
