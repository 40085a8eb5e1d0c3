import type { Route } from '../route.ts';
import { component, text } from '../schemas.ts';
import { adminRefusals, bodyRefusals, rulesBody } from './answers.ts';

export const validate: Route = {
  method: 'post',
  path: '/api/tools/validate',
  group: 'rules',
  access: 'admin',
  summary: 'Check a rule file without loading it',
  description: 'The same check that loading makes, for one file by itself.',
  parameters: [
    {
      name: 'file',
      in: 'query',
      required: false,
      description: 'The name to show in the errors.',
      schema: text,
    },
  ],
  body: rulesBody,
  answers: {
    200: { description: 'Valid.', schema: component('Validity') },
    422: { description: 'Not valid, with every error.', schema: component('Validity') },
    ...bodyRefusals,
    ...adminRefusals,
  },
  handle: ({ request, response, body, dependencies }) => {
    const given = request.query['file'];
    const file = typeof given === 'string' && given !== '' ? given.slice(0, 255) : 'rules.yaml';
    const errors = dependencies.rules.check(file, body);
    const valid = errors.length === 0;
    response.status(valid ? 200 : 422).json({ valid, errors });
  },
};
