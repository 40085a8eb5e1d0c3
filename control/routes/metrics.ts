import type { Route } from '../route.ts';
import { text } from '../schemas.ts';

export const metrics: Route = {
  method: 'get',
  path: '/metrics',
  group: 'health',
  access: 'open',
  summary: 'Metrics for Prometheus',
  answers: { 200: { description: 'Prometheus text.', contentType: 'text/plain', schema: text } },
  handle: async ({ response, dependencies }) => {
    const { expose, contentType } = dependencies.telemetry.metrics;
    const exposition = await expose();
    response.setHeader('content-type', contentType);
    response.end(exposition);
  },
};
