import express, { Router } from 'express';
import type { Express, Request, RequestHandler, Response } from 'express';
import { ToolrollError } from '../proxy/core/errors.ts';
import { refuseForeignOrigin, requireAdmin } from './access.ts';
import type { ControlDependencies } from './dependencies.ts';
import { readDocument } from './read-document.ts';
import type { Route } from './route.ts';
import { routes } from './routes/index.ts';

/** Makes the control API: routes from the table, each behind its guard, and JSON errors for everything else. */
export function createControlApp(dependencies: ControlDependencies): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', false);
  app.set('query parser', 'simple');

  const router = Router({ caseSensitive: true });
  router.use(safeHeaders, sameOriginOnly);
  router.use('/api', adminOnly(dependencies));
  for (const path of new Set(routes.map((route) => route.path))) mountPath(router, path, dependencies);
  router.use(notFound);
  // Called by hand, so that Express never gets to print or send an error in a way of its own.
  app.use((request, response) => {
    router(request, response, (error: unknown) => {
      answerError({ error, request, response }, dependencies);
    });
  });
  return app;
}

/** All routes of one path, then a 405 for every other method. The guard stands at the route, whatever is above it. */
function mountPath(router: Router, path: string, dependencies: ControlDependencies): void {
  const pattern = path.replace(/\{(\w+)\}/g, ':$1');
  const own = routes.filter((route) => route.path === path);
  if (own.some((route) => route.access === 'admin')) router.all(pattern, adminOnly(dependencies));
  for (const route of own) router[route.method](pattern, handlerOf(route, dependencies));
  const allowed = own.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  router.all(pattern, (request, response) => {
    response.setHeader('allow', allowed.join(', '));
    throw new ToolrollError('method_not_allowed', { method: request.method, path });
  });
}

function handlerOf(route: Route, dependencies: ControlDependencies): RequestHandler {
  return async (request, response) => {
    const body =
      route.body === undefined
        ? new Uint8Array()
        : await readDocument(request, route.body.accepts, route.body.limitBytes(dependencies));
    await route.handle({ request, response, body, dependencies });
  };
}

/** For a browser that gets here: show nothing in frames, guess no types, keep no copies. */
const safeHeaders: RequestHandler = (_request, response, next) => {
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('x-frame-options', 'DENY');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  response.setHeader('cache-control', 'no-store');
  next();
};

const sameOriginOnly: RequestHandler = (request, _response, next) => {
  refuseForeignOrigin(request);
  next();
};

function adminOnly(dependencies: ControlDependencies): RequestHandler {
  return (request, _response, next) => {
    requireAdmin(request, dependencies.settings.adminApiKey);
    next();
  };
}

const MAX_SHOWN_PATH = 200;

const notFound: RequestHandler = (request) => {
  const path = request.path.slice(0, MAX_SHOWN_PATH);
  throw new ToolrollError('not_found', { method: request.method, path });
};

interface FailedExchange {
  readonly error: unknown;
  readonly request: Request;
  readonly response: Response;
}

function answerError({ error, request, response }: FailedExchange, dependencies: ControlDependencies): void {
  const failure = toToolrollError(error);
  if (failure.code === 'internal') {
    const path = request.path.slice(0, MAX_SHOWN_PATH);
    dependencies.log.error('control_failed', { method: request.method, path, error });
  }
  dependencies.telemetry.recordRefusal(failure.code);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (failure.code === 'unauthorized') response.setHeader('www-authenticate', 'Bearer realm="toolroll"');
  response.status(failure.status).json(failure.toBody());
}

/** What Express itself throws at a request that it cannot read, such as a path with a broken escape. */
function toToolrollError(error: unknown): ToolrollError {
  if (error instanceof ToolrollError) return error;
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ToolrollError('invalid_request', { reason: 'The request cannot be read.' }, { cause: error });
  }
  return new ToolrollError('internal', {}, { cause: error });
}
