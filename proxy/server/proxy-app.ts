import express from 'express';
import type { Express } from 'express';

import { chatAdapter, responsesAdapter } from '../core/protocols/index.ts';
import type { Passthrough } from './passthrough.ts';
import { createTurnRoute } from './turn-route.ts';
import type { TurnServices } from './turn-route.ts';

/**
 * The proxy's listener: turns go to the turn route, everything else through, byte for byte.
 */
export function createProxyApp(services: TurnServices, passthrough: Passthrough): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.post('/v1/responses', createTurnRoute(responsesAdapter, services));
  app.post('/v1/chat/completions', createTurnRoute(chatAdapter, services));
  app.use(passthrough.handle);
  return app;
}
