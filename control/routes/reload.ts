import type { Route } from '../route.ts';
import { component } from '../schemas.ts';
import { adminRefusals } from './answers.ts';

export const reload: Route = {
  method: 'post',
  path: '/api/tools/reload',
  group: 'rules',
  access: 'admin',
  summary: 'Load the rules directory now',
  answers: {
    200: { description: 'Loaded, or the same as before.', schema: component('Reload') },
    422: {
      description: 'Refused with every fault; the revision named serves on.',
      schema: component('Reload'),
    },
    ...adminRefusals,
  },
  handle: async ({ response, dependencies }) => {
    const { outcome, revision, faults } = await dependencies.rules.reload();
    dependencies.log.info('reload_requested', { outcome, revision });
    response.status(outcome === 'refused' ? 422 : 200).json({ outcome, revision, errors: faults });
  },
};
