import { ToolrollError } from '../../proxy/core/errors.ts';
import { isJsonObject, lastMember, parseJson, scanObject, sliceSpan } from '../../proxy/core/json/index.ts';
import type { JsonObject } from '../../proxy/core/json/index.ts';
import type { PreviewInput, PreviewResult } from '../dependencies.ts';
import { textOf } from '../read-document.ts';
import type { Route } from '../route.ts';
import { component, listOf, objectOf, text, textOrNull } from '../schemas.ts';
import { adminRefusals, bodyRefusals } from './answers.ts';

const plan = objectOf({ name: text, reasons: listOf(text), rule_set: textOrNull });

export const apply: Route = {
  method: 'post',
  path: '/api/tools/apply',
  group: 'rules',
  access: 'admin',
  summary: 'Show what a turn would become',
  description:
    'Applies the rules that serve, or those given, to a request body and shows the first request that the upstream would get. The upstream is not called. Numbers and spelling of what the rules leave alone are kept.',
  body: {
    accepts: ['application/json'],
    limitBytes: ({ settings }) => settings.bodyLimitBytes,
    description: 'A request body of the app, and rules to try.',
    schema: {
      type: 'object',
      additionalProperties: false,
      required: ['request_body'],
      properties: {
        request_body: { type: 'object', description: 'The body that the app sends.' },
        endpoint: { enum: ['responses', 'chat'], default: 'responses' },
        rules: {
          description: 'A rule file as YAML or JSON text, or one rule set as an object.',
          oneOf: [text, component('RuleSet')],
        },
        headers: {
          type: 'object',
          description: 'Headers of the request, for rule sets that match on them.',
          additionalProperties: text,
        },
      },
    },
  },
  answers: {
    200: {
      description: 'What would be sent.',
      schema: objectOf({
        original_tools: listOf({ type: 'object' }),
        modified_tools: listOf({ type: 'object' }),
        operations: listOf(component('AuditOperation')),
        plan,
        final_request: { type: 'object' },
      }),
    },
    ...bodyRefusals,
    ...adminRefusals,
    422: { description: 'The rules given are not valid.', schema: component('Validity') },
    503: { description: 'No valid rules have been loaded and none are given.', schema: component('Error') },
  },
  handle: ({ response, body, dependencies }) => {
    const input = decode(textOf(body));
    const faults =
      input.rules === undefined
        ? []
        : dependencies.rules.check('rules', new TextEncoder().encode(input.rules));
    if (faults.length > 0) {
      response.status(422).json({ valid: false, errors: faults });
      return;
    }
    const preview = dependencies.previewTurn(input);
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(encode(preview));
  },
};

const fields: ReadonlySet<string> = new Set(['request_body', 'endpoint', 'rules', 'headers']);

function decode(source: string): PreviewInput {
  const value = parseJson(source);
  if (!isJsonObject(value)) throw invalid('The body must be a JSON object.');
  const unknown = Object.keys(value).find((key) => !fields.has(key));
  if (unknown !== undefined) throw invalid(`There is no field '${unknown.slice(0, 100)}' here.`, unknown);
  if (!isJsonObject(value['request_body'])) {
    throw invalid('request_body must be a JSON object: the body that the app sends.', 'request_body');
  }
  const endpoint = value['endpoint'] ?? 'responses';
  if (endpoint !== 'responses' && endpoint !== 'chat') {
    throw invalid("endpoint must be 'responses' or 'chat'.", 'endpoint');
  }
  const rules = rulesText(source, value);
  const headers = headersOf(value);
  return {
    requestBody: rawMember(source, 'request_body'),
    endpoint,
    ...(rules !== undefined && { rules }),
    ...(headers !== undefined && { headers }),
  };
}

/** Headers of the request, for rule sets that match on them. */
function headersOf(value: JsonObject): Readonly<Record<string, string>> | undefined {
  const headers = value['headers'];
  if (headers === undefined || headers === null) return undefined;
  const refusal = invalid('headers must be an object of strings.', 'headers');
  if (!isJsonObject(headers)) throw refusal;
  const entries = Object.entries(headers).map(([name, text]): [string, string] => {
    if (typeof text !== 'string') throw refusal;
    return [name.toLowerCase(), text];
  });
  return Object.fromEntries(entries);
}

function rulesText(source: string, value: JsonObject): string | undefined {
  const rules = value['rules'];
  if (rules === undefined || rules === null) return undefined;
  if (typeof rules === 'string') return rules;
  if (isJsonObject(rules)) return rawMember(source, 'rules');
  throw invalid('rules must be the text of a rule file, or one rule set as an object.', 'rules');
}

/** As it stands in the text: parsing and writing it again would round its numbers. */
function rawMember(source: string, key: string): string {
  const member = lastMember(scanObject(source), key);
  if (member === undefined) throw new TypeError(`${key} is parsed but not found`);
  return sliceSpan(source, member.value);
}

function encode(preview: PreviewResult): string {
  const { name, reasons, ruleSet } = preview.plan;
  const members = [
    ['original_tools', preview.originalTools],
    ['modified_tools', preview.modifiedTools],
    ['operations', JSON.stringify(preview.operations)],
    ['plan', JSON.stringify({ name, reasons, rule_set: ruleSet })],
    ['final_request', preview.finalRequest],
  ];
  return `{${members.map(([key, raw]) => `"${key ?? ''}":${raw ?? 'null'}`).join(',')}}`;
}

function invalid(reason: string, param?: string): ToolrollError {
  return new ToolrollError('invalid_request', { reason }, param === undefined ? {} : { param });
}
