import type { ControlDependencies } from '../dependencies.ts';
import { placeOf } from '../fault-place.ts';
import type { Route } from '../route.ts';
import { objectOf, text } from '../schemas.ts';

/** Depends on nothing but the event loop: a restart mends neither rules nor an upstream. */
export const liveness: Route = {
  method: 'get',
  path: '/healthz',
  group: 'health',
  access: 'open',
  summary: 'Whether the process runs',
  answers: { 200: { description: 'It does.', schema: objectOf({ status: { enum: ['ok'] } }) } },
  handle: ({ response }) => {
    response.json({ status: 'ok' });
  },
};

export const readiness: Route = {
  method: 'get',
  path: '/readyz',
  group: 'health',
  access: 'open',
  summary: 'Whether turns can be served',
  description: 'A faulty change of the rules does not end readiness: the last good revision serves on.',
  answers: {
    200: { description: 'Ready.', schema: objectOf({ status: { enum: ['ready'] }, revision: text }) },
    503: {
      description: 'Not ready, with the reason.',
      schema: objectOf({ status: { enum: ['not_ready'] }, reason: text }),
    },
  },
  handle: ({ response, dependencies }) => {
    const reason = reasonNotReady(dependencies);
    if (reason === undefined) {
      response.json({ status: 'ready', revision: dependencies.rules.view().revision });
    } else {
      response.status(503).json({ status: 'not_ready', reason });
    }
  },
};

function reasonNotReady(dependencies: ControlDependencies): string | undefined {
  if (dependencies.isDraining()) return 'The process is shutting down.';
  const view = dependencies.rules.view();
  switch (view.status) {
    case 'ready':
      return undefined;
    case 'loading':
      return 'The rules are still being loaded.';
    case 'invalid': {
      const first = view.faults[0];
      const detail = first && `: ${placeOf(first)}: ${first.message}`;
      return `No valid rules were ever loaded, ${String(view.faults.length)} fault(s)${detail ?? ''}`;
    }
    default:
      return view.status satisfies never;
  }
}
