// Generated from schemas/ruleset.schema.json by `npm run generate`. Do not edit.

/**
 * A name or a pattern: RE2 where it is written /…/, a glob where it holds *, else the exact text.
 */
export type Pattern = string;
/**
 * One thing done to the tools: exactly one of filter, rename, override, inject and trim.
 */
export type Rule = FilterRule | RenameRule | OverrideRule | InjectRule | TrimRule;
/**
 * A name for the rule, used in metrics and audit records; left out: its kind and its place, as in filter-0.
 */
export type RuleId = string;
/**
 * What happens when maxRounds is used up. direct: once more with all tools shown. error: the app gets that status.
 */
export type OnExhausted =
  | 'direct'
  | {
      /**
       * The status that the app gets.
       */
      error: 422;
    };

/**
 * One rule set: which turns it is for, what it does to their tools, and how the tools are rolled up. The first rule set that matches a turn wins, files in lexical order.
 */
export interface RuleSet {
  /**
   * The version of this format.
   */
  apiVersion: 'toolroll.dev/v1alpha1';
  /**
   * The kind of this document.
   */
  kind: 'RuleSet';
  metadata: Metadata;
  spec: RuleSetSpec;
}
/**
 * What the rule set is called and what people note about it.
 */
export interface Metadata {
  /**
   * The name of the rule set, unique among all files: lower-case letters, digits and '-', at most 63 characters. It is a label of metrics.
   */
  name: string;
  /**
   * What the rule set is for, in words.
   */
  description?: string;
  /**
   * Labels, as Kubernetes has them. Toolroll does not read them.
   */
  labels?: {
    [k: string]: string;
  };
  /**
   * Annotations, as Kubernetes has them. Toolroll does not read them.
   */
  annotations?: {
    [k: string]: string;
  };
}
/**
 * What the rule set does.
 */
export interface RuleSetSpec {
  /**
   * off: the rule set matches nothing. enforce: it is applied.
   */
  mode?: 'off' | 'enforce';
  match?: Match;
  /**
   * What is done to the tools of a turn, applied in this order.
   */
  tools?: Rule[];
  selection?: Selection;
  textTools?: TextTools;
  skills?: SkillSettings;
  upstream?: UpstreamSettings;
  audit?: AuditSettings;
}
/**
 * Which turns the rule set is for. Left out: every turn. All that is given must match; of a list, any entry.
 */
export interface Match {
  /**
   * The model that the request names.
   *
   * @minItems 1
   */
  models?: Pattern[];
  /**
   * The endpoint that the request goes to: responses is POST /v1/responses, chat is POST /v1/chat/completions.
   *
   * @minItems 1
   */
  endpoints?: ('responses' | 'chat')[];
  /**
   * Headers of the request: for each name (in any case) the values that match.
   */
  headers?: {
    /**
     * @minItems 1
     */
    [k: string]: Pattern[];
  };
}
/**
 * Takes tools away.
 */
export interface FilterRule {
  id?: RuleId;
  filter: Filter;
}
/**
 * Which tools stay. With allow, only those that it names; a tool that deny names never stays.
 */
export interface Filter {
  /**
   * The tools that stay; every other is taken away.
   */
  allow?: Pattern[];
  /**
   * The tools that are taken away.
   *
   * @minItems 1
   */
  deny?: Pattern[];
}
/**
 * Gives a tool another name for the model.
 */
export interface RenameRule {
  id?: RuleId;
  rename: Rename;
}
/**
 * The two names.
 */
export interface Rename {
  /**
   * The app's exact name of the tool, or namespace.name for a function inside a namespace.
   */
  from: string;
  /**
   * The name that the model sees.
   */
  to: string;
  /**
   * Whether the app sees its own name again in what comes back.
   */
  mapBack?: boolean;
}
/**
 * Changes what a tool says about itself.
 */
export interface OverrideRule {
  id?: RuleId;
  override: Override;
}
/**
 * The tool and at least one change to it.
 */
export interface Override {
  /**
   * The exact name of the tool, as the rules before this one left it.
   */
  name: string;
  /**
   * The new description.
   */
  description?: string;
  /**
   * The new JSON Schema of the parameters.
   */
  parameters?: {
    [k: string]: unknown;
  };
  /**
   * The new value of strict.
   */
  strict?: boolean;
}
/**
 * Adds a tool that the app did not send.
 */
export interface InjectRule {
  id?: RuleId;
  inject: Inject;
}
/**
 * The tool to add.
 */
export interface Inject {
  tool: InjectedTool;
}
/**
 * A tool in the shape of the Responses API, sent as it stands here; for chat completions its definition is nested as that API wants it.
 */
export interface InjectedTool {
  /**
   * The tool's type, such as function.
   */
  type: string;
  /**
   * The tool's name; needed for function and custom.
   */
  name?: string;
  [k: string]: unknown;
}
/**
 * Shortens the descriptions of tools.
 */
export interface TrimRule {
  id?: RuleId;
  trim: Trim;
}
/**
 * Which tools, and how much stays. At least one limit.
 */
export interface Trim {
  /**
   * The tools to shorten. Left out: all.
   *
   * @minItems 1
   */
  names?: Pattern[];
  /**
   * How many characters of a tool's description stay.
   */
  descriptionChars?: number;
  /**
   * How many characters of each description inside the parameters stay.
   */
  parameterDescriptionChars?: number;
}
/**
 * How the tools are rolled up.
 */
export interface Selection {
  /**
   * off: all tools are shown. two_hop: the model picks from a menu of names, then sees what it picked.
   */
  strategy?: 'off' | 'two_hop';
  catalogue?: Catalogue;
  /**
   * Tools that are always shown.
   */
  pinned?: Pattern[];
  /**
   * With fewer tools than this to roll up, the turn goes direct.
   */
  minTools?: number;
  /**
   * With fewer tokens than this in the tools to roll up, the turn goes direct. auto: Toolroll chooses by what is known of the upstream's prompt cache.
   */
  minToolTokens?: 'auto' | number;
  /**
   * How often a model may pick before onExhausted applies, when its picks name nothing known.
   */
  maxRounds?: number;
  onExhausted?: OnExhausted;
  /**
   * How many characters of each tool's description stand beside its name in the menu; 0: names only.
   */
  summaryLimitChars?: number;
  /**
   * Whether a call of a tool that the model knew by name alone is the answer when its arguments fit the tool's schema. It saves a hop with strong models.
   */
  acceptUnseenCalls?: boolean;
  /**
   * How picked tools are shown. replace: tools holds the pinned, the sticky and the picked. auto: Toolroll chooses.
   */
  reveal?: 'auto' | 'replace';
  /**
   * keep: the hop after a pick reasons as the app asked. off: without reasoning.
   */
  reasoningOnReveal?: 'keep' | 'off';
  /**
   * What usage tells the app. sum: all hops together. final: the last hop alone.
   */
  usage?: 'sum' | 'final';
  /**
   * What the hop after a pick is told. clean: the app's own input. picks: the pick goes along.
   */
  carry?: 'clean' | 'picks';
}
/**
 * Which tools may be rolled up.
 */
export interface Catalogue {
  /**
   * The tools that may be rolled up. Left out: all.
   */
  include?: Pattern[];
  /**
   * The tools that may not, even where include names them.
   */
  exclude?: Pattern[];
  /**
   * A JSON file in the rules directory: an array of tools or of names. Only what it names may be rolled up.
   */
  file?: string;
}
/**
 * Tools for models that have none: they are described in words, and calls are read out of what the model writes.
 */
export interface TextTools {
  /**
   * The models that get their tools as text.
   *
   * @minItems 1
   */
  models: Pattern[];
  /**
   * What counts as a call. xml: <tool_call>{…}</tool_call>. json: a bare or fenced JSON object with name and arguments, for models that write nothing else. any: both.
   */
  format?: 'xml' | 'json' | 'any';
  /**
   * Where the tools are described. own: in a system message of its own behind the leading one. append: at the end of the leading one, for chat templates that allow only one.
   */
  placement?: 'own' | 'append';
}
/**
 * Whether and how the loaded skills are offered to the model. Left out: no skills.
 */
export interface SkillSettings {
  /**
   * Offers the Skill tool. A request's include_skill_tool overrides it.
   */
  tool?: boolean;
  /**
   * Where a skill's content goes. message: in a user message behind the call. system: in place of {{SKILL}} in the system text. A request's strategy overrides it.
   */
  strategy?: 'message' | 'system';
  /**
   * The skills that are offered. Left out: all that are loaded.
   *
   * @minItems 1
   */
  names?: Pattern[];
  /**
   * off: the hop that reads a skill answers without thinking.
   */
  reasoningOnSkill?: 'keep' | 'off';
  /**
   * The most tokens that the skills of one turn may have together; more skills than that are not loaded, and the model is told so.
   */
  maxTokensPerTurn?: number;
}
/**
 * What the upstream wants to be told, and how.
 */
export interface UpstreamSettings {
  /**
   * How a hop is sent without thinking. effort: reasoning.effort (reasoning_effort in chat) none. enable_thinking: false at the top of the body. chat_template_kwargs: enable_thinking false inside it.
   */
  reasoningSwitch?: 'effort' | 'enable_thinking' | 'chat_template_kwargs';
}
/**
 * What the audit records of this rule set's turns hold.
 */
export interface AuditSettings {
  /**
   * Whether they hold what was said: the bodies of requests and answers. They may be confidential.
   */
  contents?: boolean;
}

/** The JSON Schema (draft-07) that the types above were generated from. */
export const rulesetSchema = {
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "https://toolroll.dev/schemas/v1alpha1/ruleset.schema.json",
  "title": "RuleSet",
  "description": "One rule set: which turns it is for, what it does to their tools, and how the tools are rolled up. The first rule set that matches a turn wins, files in lexical order.",
  "type": "object",
  "additionalProperties": false,
  "required": [
    "apiVersion",
    "kind",
    "metadata",
    "spec"
  ],
  "properties": {
    "apiVersion": {
      "description": "The version of this format.",
      "const": "toolroll.dev/v1alpha1"
    },
    "kind": {
      "description": "The kind of this document.",
      "const": "RuleSet"
    },
    "metadata": {
      "$ref": "#/definitions/Metadata"
    },
    "spec": {
      "$ref": "#/definitions/RuleSetSpec"
    }
  },
  "examples": [
    {
      "apiVersion": "toolroll.dev/v1alpha1",
      "kind": "RuleSet",
      "metadata": {
        "name": "default"
      },
      "spec": {
        "mode": "enforce",
        "match": {
          "models": [
            "gpt-*"
          ]
        },
        "tools": [
          {
            "filter": {
              "deny": [
                "delete_*"
              ]
            }
          },
          {
            "rename": {
              "from": "get_weather",
              "to": "weather_lookup"
            }
          }
        ],
        "selection": {
          "strategy": "two_hop",
          "pinned": [
            "send_email"
          ]
        }
      }
    }
  ],
  "definitions": {
    "Pattern": {
      "description": "A name or a pattern: RE2 where it is written /…/, a glob where it holds *, else the exact text.",
      "type": "string",
      "minLength": 1,
      "maxLength": 1024,
      "format": "toolroll-pattern",
      "examples": [
        "send_email",
        "delete_*",
        "/^(get|list)_/"
      ]
    },
    "Metadata": {
      "description": "What the rule set is called and what people note about it.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "name"
      ],
      "properties": {
        "name": {
          "description": "The name of the rule set, unique among all files: lower-case letters, digits and '-', at most 63 characters. It is a label of metrics.",
          "type": "string",
          "minLength": 1,
          "maxLength": 63,
          "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
          "x-expected": "lower-case letters, digits and '-', beginning and ending with a letter or a digit",
          "examples": [
            "default",
            "team-payments"
          ]
        },
        "description": {
          "description": "What the rule set is for, in words.",
          "type": "string"
        },
        "labels": {
          "description": "Labels, as Kubernetes has them. Toolroll does not read them.",
          "type": "object",
          "additionalProperties": {
            "type": "string"
          }
        },
        "annotations": {
          "description": "Annotations, as Kubernetes has them. Toolroll does not read them.",
          "type": "object",
          "additionalProperties": {
            "type": "string"
          }
        }
      }
    },
    "RuleSetSpec": {
      "description": "What the rule set does.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "mode": {
          "description": "off: the rule set matches nothing. enforce: it is applied.",
          "type": "string",
          "enum": [
            "off",
            "enforce"
          ],
          "default": "enforce"
        },
        "match": {
          "$ref": "#/definitions/Match"
        },
        "tools": {
          "description": "What is done to the tools of a turn, applied in this order.",
          "type": "array",
          "items": {
            "$ref": "#/definitions/Rule"
          }
        },
        "selection": {
          "$ref": "#/definitions/Selection"
        },
        "textTools": {
          "$ref": "#/definitions/TextTools"
        },
        "skills": {
          "$ref": "#/definitions/SkillSettings"
        },
        "upstream": {
          "$ref": "#/definitions/UpstreamSettings"
        },
        "audit": {
          "$ref": "#/definitions/AuditSettings"
        }
      }
    },
    "TextTools": {
      "description": "Tools for models that have none: they are described in words, and calls are read out of what the model writes.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "models"
      ],
      "properties": {
        "models": {
          "description": "The models that get their tools as text.",
          "type": "array",
          "minItems": 1,
          "items": {
            "$ref": "#/definitions/Pattern"
          },
          "examples": [
            [
              "gemma-*"
            ]
          ]
        },
        "format": {
          "description": "What counts as a call. xml: <tool_call>{…}</tool_call>. json: a bare or fenced JSON object with name and arguments, for models that write nothing else. any: both.",
          "type": "string",
          "enum": [
            "xml",
            "json",
            "any"
          ],
          "default": "xml"
        },
        "placement": {
          "description": "Where the tools are described. own: in a system message of its own behind the leading one. append: at the end of the leading one, for chat templates that allow only one.",
          "type": "string",
          "enum": [
            "own",
            "append"
          ],
          "default": "own"
        }
      },
      "examples": [
        {
          "models": [
            "gemma-*"
          ],
          "format": "xml"
        }
      ]
    },
    "SkillSettings": {
      "description": "Whether and how the loaded skills are offered to the model. Left out: no skills.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "tool": {
          "description": "Offers the Skill tool. A request's include_skill_tool overrides it.",
          "type": "boolean",
          "default": true
        },
        "strategy": {
          "description": "Where a skill's content goes. message: in a user message behind the call. system: in place of {{SKILL}} in the system text. A request's strategy overrides it.",
          "type": "string",
          "enum": [
            "message",
            "system"
          ],
          "default": "message"
        },
        "names": {
          "description": "The skills that are offered. Left out: all that are loaded.",
          "type": "array",
          "minItems": 1,
          "items": {
            "$ref": "#/definitions/Pattern"
          },
          "examples": [
            [
              "release-*"
            ]
          ]
        },
        "reasoningOnSkill": {
          "description": "off: the hop that reads a skill answers without thinking.",
          "type": "string",
          "enum": [
            "keep",
            "off"
          ],
          "default": "keep"
        },
        "maxTokensPerTurn": {
          "description": "The most tokens that the skills of one turn may have together; more skills than that are not loaded, and the model is told so.",
          "type": "integer",
          "minimum": 1,
          "default": 20000
        }
      },
      "examples": [
        {
          "strategy": "message"
        }
      ]
    },
    "UpstreamSettings": {
      "description": "What the upstream wants to be told, and how.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "reasoningSwitch": {
          "description": "How a hop is sent without thinking. effort: reasoning.effort (reasoning_effort in chat) none. enable_thinking: false at the top of the body. chat_template_kwargs: enable_thinking false inside it.",
          "type": "string",
          "enum": [
            "effort",
            "enable_thinking",
            "chat_template_kwargs"
          ],
          "default": "effort"
        }
      },
      "examples": [
        {
          "reasoningSwitch": "chat_template_kwargs"
        }
      ]
    },
    "Match": {
      "description": "Which turns the rule set is for. Left out: every turn. All that is given must match; of a list, any entry.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "models": {
          "description": "The model that the request names.",
          "type": "array",
          "minItems": 1,
          "items": {
            "$ref": "#/definitions/Pattern"
          },
          "examples": [
            [
              "gpt-*"
            ]
          ]
        },
        "endpoints": {
          "description": "The endpoint that the request goes to: responses is POST /v1/responses, chat is POST /v1/chat/completions.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "string",
            "enum": [
              "responses",
              "chat"
            ]
          }
        },
        "headers": {
          "description": "Headers of the request: for each name (in any case) the values that match.",
          "type": "object",
          "propertyNames": {
            "pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
            "x-expected": "the name of an HTTP header"
          },
          "additionalProperties": {
            "type": "array",
            "minItems": 1,
            "items": {
              "$ref": "#/definitions/Pattern"
            }
          },
          "examples": [
            {
              "x-team": [
                "pay*"
              ]
            }
          ]
        }
      }
    },
    "RuleId": {
      "description": "A name for the rule, used in metrics and audit records; left out: its kind and its place, as in filter-0.",
      "type": "string",
      "pattern": "^[A-Za-z0-9._-]{1,63}$",
      "x-expected": "1 to 63 letters, digits, '.', '_' or '-'"
    },
    "Rule": {
      "description": "One thing done to the tools: exactly one of filter, rename, override, inject and trim.",
      "oneOf": [
        {
          "$ref": "#/definitions/FilterRule"
        },
        {
          "$ref": "#/definitions/RenameRule"
        },
        {
          "$ref": "#/definitions/OverrideRule"
        },
        {
          "$ref": "#/definitions/InjectRule"
        },
        {
          "$ref": "#/definitions/TrimRule"
        }
      ],
      "x-expected": "an object with exactly one of filter, rename, override, inject and trim"
    },
    "FilterRule": {
      "description": "Takes tools away.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "filter"
      ],
      "properties": {
        "id": {
          "$ref": "#/definitions/RuleId"
        },
        "filter": {
          "$ref": "#/definitions/Filter"
        }
      },
      "examples": [
        {
          "filter": {
            "deny": [
              "delete_*"
            ]
          }
        }
      ]
    },
    "Filter": {
      "description": "Which tools stay. With allow, only those that it names; a tool that deny names never stays.",
      "type": "object",
      "additionalProperties": false,
      "minProperties": 1,
      "properties": {
        "allow": {
          "description": "The tools that stay; every other is taken away.",
          "type": "array",
          "items": {
            "$ref": "#/definitions/Pattern"
          }
        },
        "deny": {
          "description": "The tools that are taken away.",
          "type": "array",
          "minItems": 1,
          "items": {
            "$ref": "#/definitions/Pattern"
          }
        }
      },
      "x-expected": "an object with allow, deny or both"
    },
    "RenameRule": {
      "description": "Gives a tool another name for the model.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "rename"
      ],
      "properties": {
        "id": {
          "$ref": "#/definitions/RuleId"
        },
        "rename": {
          "$ref": "#/definitions/Rename"
        }
      },
      "examples": [
        {
          "rename": {
            "from": "get_weather",
            "to": "weather_lookup"
          }
        }
      ]
    },
    "Rename": {
      "description": "The two names.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "from",
        "to"
      ],
      "properties": {
        "from": {
          "description": "The app's exact name of the tool, or namespace.name for a function inside a namespace.",
          "type": "string",
          "minLength": 1
        },
        "to": {
          "description": "The name that the model sees.",
          "type": "string",
          "pattern": "^[a-zA-Z0-9_-]{1,128}$",
          "x-expected": "1 to 128 letters, digits, '_' or '-', which is what a tool may be called"
        },
        "mapBack": {
          "description": "Whether the app sees its own name again in what comes back.",
          "type": "boolean",
          "default": true
        }
      }
    },
    "OverrideRule": {
      "description": "Changes what a tool says about itself.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "override"
      ],
      "properties": {
        "id": {
          "$ref": "#/definitions/RuleId"
        },
        "override": {
          "$ref": "#/definitions/Override"
        }
      },
      "examples": [
        {
          "override": {
            "name": "search",
            "description": "Search the handbook."
          }
        }
      ]
    },
    "Override": {
      "description": "The tool and at least one change to it.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "name"
      ],
      "anyOf": [
        {
          "required": [
            "description"
          ]
        },
        {
          "required": [
            "parameters"
          ]
        },
        {
          "required": [
            "strict"
          ]
        }
      ],
      "properties": {
        "name": {
          "description": "The exact name of the tool, as the rules before this one left it.",
          "type": "string",
          "minLength": 1
        },
        "description": {
          "description": "The new description.",
          "type": "string"
        },
        "parameters": {
          "description": "The new JSON Schema of the parameters.",
          "type": "object",
          "additionalProperties": true
        },
        "strict": {
          "description": "The new value of strict.",
          "type": "boolean"
        }
      },
      "x-expected": "an object with at least one change: description, parameters or strict"
    },
    "InjectRule": {
      "description": "Adds a tool that the app did not send.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "inject"
      ],
      "properties": {
        "id": {
          "$ref": "#/definitions/RuleId"
        },
        "inject": {
          "$ref": "#/definitions/Inject"
        }
      },
      "examples": [
        {
          "inject": {
            "tool": {
              "type": "web_search"
            }
          }
        }
      ]
    },
    "Inject": {
      "description": "The tool to add.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "tool"
      ],
      "properties": {
        "tool": {
          "$ref": "#/definitions/InjectedTool"
        }
      }
    },
    "InjectedTool": {
      "description": "A tool in the shape of the Responses API, sent as it stands here; for chat completions its definition is nested as that API wants it.",
      "type": "object",
      "additionalProperties": true,
      "required": [
        "type"
      ],
      "properties": {
        "type": {
          "description": "The tool's type, such as function.",
          "type": "string",
          "minLength": 1
        },
        "name": {
          "description": "The tool's name; needed for function and custom.",
          "type": "string",
          "pattern": "^[a-zA-Z0-9_-]{1,128}$",
          "x-expected": "1 to 128 letters, digits, '_' or '-', which is what a tool may be called"
        }
      },
      "if": {
        "required": [
          "type"
        ],
        "properties": {
          "type": {
            "enum": [
              "function",
              "custom"
            ]
          }
        }
      },
      "then": {
        "required": [
          "name"
        ]
      },
      "examples": [
        {
          "type": "function",
          "name": "now",
          "parameters": {
            "type": "object"
          }
        }
      ]
    },
    "TrimRule": {
      "description": "Shortens the descriptions of tools.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "trim"
      ],
      "properties": {
        "id": {
          "$ref": "#/definitions/RuleId"
        },
        "trim": {
          "$ref": "#/definitions/Trim"
        }
      },
      "examples": [
        {
          "trim": {
            "descriptionChars": 200
          }
        }
      ]
    },
    "Trim": {
      "description": "Which tools, and how much stays. At least one limit.",
      "type": "object",
      "additionalProperties": false,
      "anyOf": [
        {
          "required": [
            "descriptionChars"
          ]
        },
        {
          "required": [
            "parameterDescriptionChars"
          ]
        }
      ],
      "properties": {
        "names": {
          "description": "The tools to shorten. Left out: all.",
          "type": "array",
          "minItems": 1,
          "items": {
            "$ref": "#/definitions/Pattern"
          }
        },
        "descriptionChars": {
          "description": "How many characters of a tool's description stay.",
          "type": "integer",
          "minimum": 0
        },
        "parameterDescriptionChars": {
          "description": "How many characters of each description inside the parameters stay.",
          "type": "integer",
          "minimum": 0
        }
      },
      "x-expected": "an object with at least one limit: descriptionChars or parameterDescriptionChars"
    },
    "Selection": {
      "description": "How the tools are rolled up.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "strategy": {
          "description": "off: all tools are shown. two_hop: the model picks from a menu of names, then sees what it picked.",
          "type": "string",
          "enum": [
            "off",
            "two_hop"
          ],
          "default": "off"
        },
        "catalogue": {
          "$ref": "#/definitions/Catalogue"
        },
        "pinned": {
          "description": "Tools that are always shown.",
          "type": "array",
          "items": {
            "$ref": "#/definitions/Pattern"
          }
        },
        "minTools": {
          "description": "With fewer tools than this to roll up, the turn goes direct.",
          "type": "integer",
          "minimum": 0,
          "default": 4
        },
        "minToolTokens": {
          "description": "With fewer tokens than this in the tools to roll up, the turn goes direct. auto: Toolroll chooses by what is known of the upstream's prompt cache.",
          "oneOf": [
            {
              "const": "auto"
            },
            {
              "type": "integer",
              "minimum": 0
            }
          ],
          "default": "auto",
          "x-expected": "auto or a whole number of 0 or more"
        },
        "maxRounds": {
          "description": "How often a model may pick before onExhausted applies, when its picks name nothing known.",
          "type": "integer",
          "minimum": 1,
          "maximum": 10,
          "default": 3
        },
        "onExhausted": {
          "$ref": "#/definitions/OnExhausted"
        },
        "summaryLimitChars": {
          "description": "How many characters of each tool's description stand beside its name in the menu; 0: names only.",
          "type": "integer",
          "minimum": 0,
          "maximum": 1000,
          "default": 0
        },
        "acceptUnseenCalls": {
          "description": "Whether a call of a tool that the model knew by name alone is the answer when its arguments fit the tool's schema. It saves a hop with strong models.",
          "type": "boolean",
          "default": false
        },
        "reveal": {
          "description": "How picked tools are shown. replace: tools holds the pinned, the sticky and the picked. auto: Toolroll chooses.",
          "type": "string",
          "enum": [
            "auto",
            "replace"
          ],
          "default": "auto"
        },
        "reasoningOnReveal": {
          "description": "keep: the hop after a pick reasons as the app asked. off: without reasoning.",
          "type": "string",
          "enum": [
            "keep",
            "off"
          ],
          "default": "keep"
        },
        "usage": {
          "description": "What usage tells the app. sum: all hops together. final: the last hop alone.",
          "type": "string",
          "enum": [
            "sum",
            "final"
          ],
          "default": "sum"
        },
        "carry": {
          "description": "What the hop after a pick is told. clean: the app's own input. picks: the pick goes along.",
          "type": "string",
          "enum": [
            "clean",
            "picks"
          ],
          "default": "clean"
        }
      }
    },
    "Catalogue": {
      "description": "Which tools may be rolled up.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "include": {
          "description": "The tools that may be rolled up. Left out: all.",
          "type": "array",
          "items": {
            "$ref": "#/definitions/Pattern"
          },
          "default": [
            "*"
          ]
        },
        "exclude": {
          "description": "The tools that may not, even where include names them.",
          "type": "array",
          "items": {
            "$ref": "#/definitions/Pattern"
          }
        },
        "file": {
          "description": "A JSON file in the rules directory: an array of tools or of names. Only what it names may be rolled up.",
          "type": "string",
          "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]*\\.json$",
          "x-expected": "the plain name of a .json file in the rules directory",
          "examples": [
            "tools.json"
          ]
        }
      }
    },
    "OnExhausted": {
      "description": "What happens when maxRounds is used up. direct: once more with all tools shown. error: the app gets that status.",
      "oneOf": [
        {
          "const": "direct"
        },
        {
          "type": "object",
          "additionalProperties": false,
          "required": [
            "error"
          ],
          "properties": {
            "error": {
              "description": "The status that the app gets.",
              "const": 422
            }
          }
        }
      ],
      "default": "direct",
      "x-expected": "direct or { error: 422 }"
    },
    "AuditSettings": {
      "description": "What the audit records of this rule set's turns hold.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "contents": {
          "description": "Whether they hold what was said: the bodies of requests and answers. They may be confidential.",
          "type": "boolean",
          "default": false
        }
      }
    }
  }
} as const;
