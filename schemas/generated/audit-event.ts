// Generated from schemas/audit-event.schema.json by `npm run generate`. Do not edit.

/**
 * What is kept of one turn: what was decided and why, what it cost, how it ended. Metadata only, unless a rule set asks for contents.
 */
export interface AuditEvent {
  /**
   * The id of this record, unique in one process.
   */
  id: string;
  /**
   * When the turn began, ISO 8601 in UTC.
   */
  time: string;
  /**
   * Which API the turn spoke.
   */
  protocol: 'responses' | 'chat';
  /**
   * The path of the request, without its query.
   */
  path: string;
  /**
   * The model that the request named; null where it named none.
   */
  model: string | null;
  /**
   * Whether the app asked for a stream.
   */
  stream: boolean;
  /**
   * The rule set that matched; null where none did.
   */
  ruleSet: string | null;
  /**
   * The revision of the rules that the turn ran under.
   */
  revision: string;
  /**
   * bypass: not ours. direct: rules applied, all tools shown. two_hop: rolled up.
   */
  plan: 'bypass' | 'direct' | 'two_hop';
  /**
   * Why this plan.
   */
  reasons: string[];
  /**
   * How the turn ended. refused: a rule or a limit said no. upstream_error: the upstream's error was relayed. client_closed: the app went away. failed: broken off or failed here.
   */
  outcome: 'ok' | 'refused' | 'upstream_error' | 'client_closed' | 'failed';
  /**
   * The status that the app got; null where none was sent.
   */
  status: number | null;
  /**
   * The calls to the upstream, in order.
   */
  hops: AuditHop[];
  tools: AuditTools;
  /**
   * What the rules did, in order.
   */
  operations: AuditOperation[];
  tokens: AuditTokens;
  /**
   * Milliseconds from the request's arrival to the answer's end.
   */
  durationMs: number;
  /**
   * Milliseconds of these that were not spent waiting for the upstream.
   */
  ownMs: number;
  skills?: AuditSkills;
  /**
   * Calls that the model wrote as text and that could not be read, so that they stayed text. Left out where there were none.
   */
  unreadableCalls?: number;
  error?: AuditError;
  contents?: AuditContents;
}
/**
 * One call to the upstream.
 */
export interface AuditHop {
  /**
   * What the call was for. select: the model picks. reselect: it picks again. answer: it sees its tools. skill: it has the skill that it asked for. retry: it is told why a call written as text cannot run. fallback: once more with all tools.
   */
  kind: 'answer' | 'select' | 'reselect' | 'skill' | 'retry' | 'fallback';
  /**
   * The upstream's status; null where none came.
   */
  status: number | null;
  /**
   * Milliseconds from sending to the answer's end.
   */
  durationMs: number;
  /**
   * Input tokens by the upstream's count; left out where it gave none.
   */
  inputTokens?: number;
  /**
   * Input tokens of these from the prompt cache.
   */
  cachedTokens?: number;
  /**
   * Output tokens by the upstream's count.
   */
  outputTokens?: number;
  /**
   * The tools that the model picked in this hop.
   */
  picks: string[];
  /**
   * What went wrong in this hop.
   */
  error?: string;
}
/**
 * How many tools went in and out.
 */
export interface AuditTools {
  /**
   * Tools that the app sent.
   */
  offered: number;
  /**
   * Tools shown in full on the hop that answered.
   */
  shown: number;
  /**
   * Names in the menu; 0 where there was none.
   */
  menu: number;
}
/**
 * One thing that a rule did to a tool.
 */
export interface AuditOperation {
  /**
   * What was done, such as filter or rename.
   */
  operation: string;
  /**
   * The id of the rule.
   */
  rule: string;
  /**
   * The tool, by the app's name.
   */
  tool: string;
  /**
   * More about it, such as the new name.
   */
  detail?: string;
}
/**
 * Tokens of all hops together.
 */
export interface AuditTokens {
  /**
   * Input tokens.
   */
  input: number;
  /**
   * Input tokens of these from the prompt cache.
   */
  cached: number;
  /**
   * Output tokens.
   */
  output: number;
  /**
   * Input tokens that direct would have cost more; 0 where it would not.
   */
  saved: number;
  /**
   * Input tokens that direct would have cost less; 0 where it would not.
   */
  lost: number;
  /**
   * Whether the input tokens were estimated, because the upstream gave no usage.
   */
  estimated: boolean;
}
/**
 * The skills of the turn; left out where the rule set has none.
 */
export interface AuditSkills {
  /**
   * Skills that the conversation used already.
   */
  active: string[];
  /**
   * Skills that the model asked for in this turn and got.
   */
  loaded: string[];
  /**
   * Skills that the conversation used and that are loaded no more.
   */
  missing?: string[];
  /**
   * True where strategy system was wanted and the system text has no {{SKILL}}.
   */
  fellBack?: boolean;
}
/**
 * Why the turn did not end well.
 */
export interface AuditError {
  /**
   * The code, from the catalogue of errors or from the upstream.
   */
  code: string;
  /**
   * What happened, in words.
   */
  message: string;
}
/**
 * What was said, kept only where the rule set asks for it.
 */
export interface AuditContents {
  /**
   * The body that the app sent.
   */
  request: string;
  /**
   * The bodies of each hop, in order; none where the turn was forwarded as it came.
   */
  hops: AuditHopContents[];
}
/**
 * The two bodies of one hop.
 */
export interface AuditHopContents {
  /**
   * The body sent to the upstream.
   */
  request: string;
  /**
   * The body that came back.
   */
  response: string;
}

/** The JSON Schema (draft-07) that the types above were generated from. */
export const auditEventSchema = {
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "https://toolroll.dev/schemas/v1alpha1/audit-event.schema.json",
  "title": "AuditEvent",
  "description": "What is kept of one turn: what was decided and why, what it cost, how it ended. Metadata only, unless a rule set asks for contents.",
  "type": "object",
  "additionalProperties": false,
  "required": [
    "id",
    "time",
    "protocol",
    "path",
    "model",
    "stream",
    "ruleSet",
    "revision",
    "plan",
    "reasons",
    "outcome",
    "status",
    "hops",
    "tools",
    "operations",
    "tokens",
    "durationMs",
    "ownMs"
  ],
  "properties": {
    "id": {
      "description": "The id of this record, unique in one process.",
      "type": "string"
    },
    "time": {
      "description": "When the turn began, ISO 8601 in UTC.",
      "type": "string",
      "format": "date-time"
    },
    "protocol": {
      "description": "Which API the turn spoke.",
      "type": "string",
      "enum": [
        "responses",
        "chat"
      ]
    },
    "path": {
      "description": "The path of the request, without its query.",
      "type": "string"
    },
    "model": {
      "description": "The model that the request named; null where it named none.",
      "type": [
        "string",
        "null"
      ]
    },
    "stream": {
      "description": "Whether the app asked for a stream.",
      "type": "boolean"
    },
    "ruleSet": {
      "description": "The rule set that matched; null where none did.",
      "type": [
        "string",
        "null"
      ]
    },
    "revision": {
      "description": "The revision of the rules that the turn ran under.",
      "type": "string"
    },
    "plan": {
      "description": "bypass: not ours. direct: rules applied, all tools shown. two_hop: rolled up.",
      "type": "string",
      "enum": [
        "bypass",
        "direct",
        "two_hop"
      ]
    },
    "reasons": {
      "description": "Why this plan.",
      "type": "array",
      "items": {
        "type": "string"
      }
    },
    "outcome": {
      "description": "How the turn ended. refused: a rule or a limit said no. upstream_error: the upstream's error was relayed. client_closed: the app went away. failed: broken off or failed here.",
      "type": "string",
      "enum": [
        "ok",
        "refused",
        "upstream_error",
        "client_closed",
        "failed"
      ]
    },
    "status": {
      "description": "The status that the app got; null where none was sent.",
      "type": [
        "integer",
        "null"
      ]
    },
    "hops": {
      "description": "The calls to the upstream, in order.",
      "type": "array",
      "items": {
        "$ref": "#/definitions/AuditHop"
      }
    },
    "tools": {
      "$ref": "#/definitions/AuditTools"
    },
    "operations": {
      "description": "What the rules did, in order.",
      "type": "array",
      "items": {
        "$ref": "#/definitions/AuditOperation"
      }
    },
    "tokens": {
      "$ref": "#/definitions/AuditTokens"
    },
    "durationMs": {
      "description": "Milliseconds from the request's arrival to the answer's end.",
      "type": "number",
      "minimum": 0
    },
    "ownMs": {
      "description": "Milliseconds of these that were not spent waiting for the upstream.",
      "type": "number",
      "minimum": 0
    },
    "skills": {
      "$ref": "#/definitions/AuditSkills"
    },
    "unreadableCalls": {
      "description": "Calls that the model wrote as text and that could not be read, so that they stayed text. Left out where there were none.",
      "type": "integer",
      "minimum": 1
    },
    "error": {
      "$ref": "#/definitions/AuditError"
    },
    "contents": {
      "$ref": "#/definitions/AuditContents"
    }
  },
  "examples": [
    {
      "id": "turn-17",
      "time": "2026-11-30T10:00:00.000Z",
      "protocol": "responses",
      "path": "/v1/responses",
      "model": "gpt-5.4",
      "stream": true,
      "ruleSet": "default",
      "revision": "3f2a90c1d4e5",
      "plan": "two_hop",
      "reasons": [
        "strategy_two_hop"
      ],
      "outcome": "ok",
      "status": 200,
      "hops": [
        {
          "kind": "select",
          "status": 200,
          "durationMs": 410,
          "inputTokens": 310,
          "outputTokens": 18,
          "picks": [
            "get_weather"
          ]
        },
        {
          "kind": "answer",
          "status": 200,
          "durationMs": 520,
          "inputTokens": 160,
          "outputTokens": 22,
          "picks": []
        }
      ],
      "tools": {
        "offered": 37,
        "shown": 1,
        "menu": 37
      },
      "operations": [
        {
          "operation": "filter",
          "rule": "filter-0",
          "tool": "delete_all"
        }
      ],
      "tokens": {
        "input": 470,
        "cached": 0,
        "output": 40,
        "saved": 4800,
        "lost": 0,
        "estimated": true
      },
      "durationMs": 933,
      "ownMs": 3
    }
  ],
  "definitions": {
    "AuditSkills": {
      "description": "The skills of the turn; left out where the rule set has none.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "active",
        "loaded"
      ],
      "properties": {
        "active": {
          "description": "Skills that the conversation used already.",
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "loaded": {
          "description": "Skills that the model asked for in this turn and got.",
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "missing": {
          "description": "Skills that the conversation used and that are loaded no more.",
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "fellBack": {
          "description": "True where strategy system was wanted and the system text has no {{SKILL}}.",
          "type": "boolean"
        }
      }
    },
    "AuditHop": {
      "description": "One call to the upstream.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "kind",
        "status",
        "durationMs",
        "picks"
      ],
      "properties": {
        "kind": {
          "description": "What the call was for. select: the model picks. reselect: it picks again. answer: it sees its tools. skill: it has the skill that it asked for. retry: it is told why a call written as text cannot run. fallback: once more with all tools.",
          "type": "string",
          "enum": [
            "answer",
            "select",
            "reselect",
            "skill",
            "retry",
            "fallback"
          ]
        },
        "status": {
          "description": "The upstream's status; null where none came.",
          "type": [
            "integer",
            "null"
          ]
        },
        "durationMs": {
          "description": "Milliseconds from sending to the answer's end.",
          "type": "number",
          "minimum": 0
        },
        "inputTokens": {
          "description": "Input tokens by the upstream's count; left out where it gave none.",
          "type": "integer",
          "minimum": 0
        },
        "cachedTokens": {
          "description": "Input tokens of these from the prompt cache.",
          "type": "integer",
          "minimum": 0
        },
        "outputTokens": {
          "description": "Output tokens by the upstream's count.",
          "type": "integer",
          "minimum": 0
        },
        "picks": {
          "description": "The tools that the model picked in this hop.",
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "error": {
          "description": "What went wrong in this hop.",
          "type": "string"
        }
      }
    },
    "AuditTools": {
      "description": "How many tools went in and out.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "offered",
        "shown",
        "menu"
      ],
      "properties": {
        "offered": {
          "description": "Tools that the app sent.",
          "type": "integer",
          "minimum": 0
        },
        "shown": {
          "description": "Tools shown in full on the hop that answered.",
          "type": "integer",
          "minimum": 0
        },
        "menu": {
          "description": "Names in the menu; 0 where there was none.",
          "type": "integer",
          "minimum": 0
        }
      }
    },
    "AuditOperation": {
      "description": "One thing that a rule did to a tool.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "operation",
        "rule",
        "tool"
      ],
      "properties": {
        "operation": {
          "description": "What was done, such as filter or rename.",
          "type": "string"
        },
        "rule": {
          "description": "The id of the rule.",
          "type": "string"
        },
        "tool": {
          "description": "The tool, by the app's name.",
          "type": "string"
        },
        "detail": {
          "description": "More about it, such as the new name.",
          "type": "string"
        }
      }
    },
    "AuditTokens": {
      "description": "Tokens of all hops together.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "input",
        "cached",
        "output",
        "saved",
        "lost",
        "estimated"
      ],
      "properties": {
        "input": {
          "description": "Input tokens.",
          "type": "integer",
          "minimum": 0
        },
        "cached": {
          "description": "Input tokens of these from the prompt cache.",
          "type": "integer",
          "minimum": 0
        },
        "output": {
          "description": "Output tokens.",
          "type": "integer",
          "minimum": 0
        },
        "saved": {
          "description": "Input tokens that direct would have cost more; 0 where it would not.",
          "type": "integer",
          "minimum": 0
        },
        "lost": {
          "description": "Input tokens that direct would have cost less; 0 where it would not.",
          "type": "integer",
          "minimum": 0
        },
        "estimated": {
          "description": "Whether the input tokens were estimated, because the upstream gave no usage.",
          "type": "boolean"
        }
      }
    },
    "AuditError": {
      "description": "Why the turn did not end well.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "code",
        "message"
      ],
      "properties": {
        "code": {
          "description": "The code, from the catalogue of errors or from the upstream.",
          "type": "string"
        },
        "message": {
          "description": "What happened, in words.",
          "type": "string"
        }
      }
    },
    "AuditContents": {
      "description": "What was said, kept only where the rule set asks for it.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "request",
        "hops"
      ],
      "properties": {
        "request": {
          "description": "The body that the app sent.",
          "type": "string"
        },
        "hops": {
          "description": "The bodies of each hop, in order; none where the turn was forwarded as it came.",
          "type": "array",
          "items": {
            "$ref": "#/definitions/AuditHopContents"
          }
        }
      }
    },
    "AuditHopContents": {
      "description": "The two bodies of one hop.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "request",
        "response"
      ],
      "properties": {
        "request": {
          "description": "The body sent to the upstream.",
          "type": "string"
        },
        "response": {
          "description": "The body that came back.",
          "type": "string"
        }
      }
    }
  }
} as const;
