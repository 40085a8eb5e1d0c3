import { ToolrollError } from '../../proxy/core/errors.ts';
import type { Route } from '../route.ts';
import { component, listOf, objectOf } from '../schemas.ts';
import { adminRefusals, refusal } from './answers.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

export const audit: Route = {
  method: 'get',
  path: '/api/audit',
  group: 'state',
  access: 'admin',
  summary: 'The last turns, newest first',
  description: 'Metadata only, unless a rule set asks for contents.',
  parameters: [
    {
      name: 'limit',
      in: 'query',
      required: false,
      description: 'How many turns at most.',
      schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
    },
  ],
  answers: {
    200: { description: 'The turns.', schema: objectOf({ events: listOf(component('AuditEvent')) }) },
    400: refusal('The limit is no number in range.'),
    ...adminRefusals,
  },
  handle: ({ request, response, dependencies }) => {
    response.json({ events: dependencies.telemetry.audit.recent(limitOf(request.query['limit'])) });
  },
};

function limitOf(given: unknown): number {
  if (given === undefined) return DEFAULT_LIMIT;
  const limit = typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  const reason = `limit must be a whole number from 1 to ${String(MAX_LIMIT)}`;
  throw new ToolrollError('invalid_request', { reason }, { param: 'limit' });
}
