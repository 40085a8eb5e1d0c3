import { ToolrollError } from '../../proxy/core/errors.ts';
import { nameOfRules } from '../rules-name.ts';
import { textOf } from '../read-document.ts';
import type { Route } from '../route.ts';
import { component, listOf, objectOf, text, textOrNull } from '../schemas.ts';
import { adminRefusals, bodyRefusals, refusal, rulesBody } from './answers.ts';

export const getRules: Route = {
  method: 'get',
  path: '/api/tools/rules',
  group: 'rules',
  access: 'admin',
  summary: 'The rules that serve, per file',
  answers: {
    200: {
      description: 'The loaded files and their revision.',
      schema: objectOf({ revision: textOrNull, files: listOf(component('RuleFile')) }),
    },
    ...adminRefusals,
  },
  handle: ({ response, dependencies }) => {
    const { revision, files } = dependencies.rules.view();
    response.json({ revision, files });
  },
};

export const putRules: Route = {
  method: 'put',
  path: '/api/tools/rules',
  group: 'rules',
  access: 'admin',
  summary: 'Write one rule file and load it',
  description:
    'The directory is checked as it would be with this file; only if all of it is valid, the file is written atomically and loaded.',
  parameters: [
    {
      name: 'file',
      in: 'query',
      required: false,
      description: "The file's name. If absent: the rule set's name with .yaml or .json.",
      schema: text,
    },
  ],
  body: rulesBody,
  answers: {
    200: {
      description: 'Written and loaded.',
      schema: objectOf({ file: text, ...reloadFields() }),
    },
    ...bodyRefusals,
    ...adminRefusals,
    409: refusal('The directory is read-only, as a ConfigMap is. Change it at its source.'),
    422: { description: 'The rules are not valid; nothing was written.', schema: component('Validity') },
  },
  handle: async ({ request, response, body, dependencies }) => {
    const file = fileName(request.query['file'], body);
    const report = await dependencies.rules.write(file, body);
    switch (report.kind) {
      case 'read_only':
        throw new ToolrollError('rules_read_only', { reason: report.reason });
      case 'invalid':
        response.status(422).json({ valid: false, errors: report.faults });
        return;
      case 'written': {
        const { outcome, revision, faults } = report.reload;
        dependencies.log.info('rules_written', { file, outcome, revision });
        response.status(outcome === 'refused' ? 422 : 200).json({ file, outcome, revision, errors: faults });
        return;
      }
      default:
        report satisfies never;
    }
  },
};

function reloadFields() {
  return {
    outcome: { enum: ['applied', 'unchanged', 'refused'] },
    revision: textOrNull,
    errors: listOf(component('Fault')),
  };
}

/** A rule file directly in the directory: no path, no name that starts with a dot, as those are the kubelet's. */
const fileNameForm = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}\.(yaml|yml|json)$/;

function fileName(given: unknown, body: Uint8Array): string {
  if (given === undefined) {
    const derived = nameOfRules(textOf(body));
    if (derived !== undefined) return derived;
    throw invalidName('the body has no metadata.name to derive a file name from; add ?file=name.yaml');
  }
  if (typeof given === 'string' && fileNameForm.test(given)) return given;
  throw invalidName('file must be a plain name of letters, digits, . _ - that ends in .yaml, .yml or .json');
}

function invalidName(reason: string): ToolrollError {
  return new ToolrollError('invalid_request', { reason }, { param: 'file' });
}
