import express from 'express';
import type { Express, Router } from 'express';

import { chatAdapter, responsesAdapter } from '../core/protocols/index.ts';
import type { Passthrough } from './passthrough.ts';
import { createTurnRoute } from './turn-route.ts';
import type { TurnServices } from './turn-route.ts';

/** What the proxy's listener is made of. */
export interface ProxyParts {
  readonly turns: TurnServices;
  readonly skillRoutes: Router;
  readonly passthrough: Passthrough;
}

/**
 * The proxy's listener: turns go to the turn route, what apps ask about skills is answered here, and everything else goes
 * through, byte for byte.
 */
export function createProxyApp({ turns, skillRoutes, passthrough }: ProxyParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.post('/v1/responses', createTurnRoute(responsesAdapter, turns));
  app.post('/v1/chat/completions', createTurnRoute(chatAdapter, turns));
  app.use(skillRoutes);
  app.use(passthrough.handle);
  return app;
}
