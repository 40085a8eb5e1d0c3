import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import absolutePath from 'swagger-ui-dist/absolute-path.js';
import { ToolrollError } from '../../proxy/core/errors.ts';
import { buildOpenApi } from '../docs/openapi.ts';
import { assets, contentSecurityPolicy, page, startScript } from '../docs/page.ts';
import type { Route } from '../route.ts';
import { text } from '../schemas.ts';
import { refusal } from './answers.ts';

export const docsPage: Route = {
  method: 'get',
  path: '/docs',
  group: 'docs',
  access: 'open',
  summary: 'This document, for people',
  answers: { 200: { description: 'A page.', contentType: 'text/html', schema: text } },
  handle: ({ request, response }) => {
    if (request.path.endsWith('/')) {
      // The page's links are relative to a path without the slash.
      response.redirect(308, '../docs');
      return;
    }
    response.setHeader('content-security-policy', contentSecurityPolicy);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(page);
  },
};

/** @param routes all routes; asked for on each request, since this route is one of them */
export function openApiRoute(routes: () => readonly Route[]): Route {
  return {
    method: 'get',
    path: '/docs/openapi.json',
    group: 'docs',
    access: 'open',
    summary: 'This document, for programs',
    answers: { 200: { description: 'OpenAPI 3.1.', schema: { type: 'object' } } },
    handle: ({ response, dependencies }) => {
      response.json(buildOpenApi(routes(), dependencies.settings.version));
    },
  };
}

export const docsAsset: Route = {
  method: 'get',
  path: '/docs/{asset}',
  group: 'docs',
  access: 'open',
  summary: "The page's scripts and styles",
  parameters: [
    {
      name: 'asset',
      in: 'path',
      required: true,
      description: 'The file.',
      schema: { enum: ['start.js', ...Object.keys(assets)] },
    },
  ],
  answers: {
    200: { description: 'The file.', contentType: '*/*', schema: text },
    404: refusal('No such file.'),
  },
  handle: async ({ request, response }) => {
    const name = request.params['asset'];
    response.setHeader('cache-control', 'max-age=3600');
    if (name === 'start.js') {
      response.setHeader('content-type', 'text/javascript; charset=utf-8');
      response.end(startScript);
      return;
    }
    const contentType = typeof name === 'string' && Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (typeof name !== 'string' || contentType === undefined) {
      throw new ToolrollError('not_found', { method: request.method, path: request.path.slice(0, 200) });
    }
    response.setHeader('content-type', contentType);
    response.end(await readFile(join(absolutePath(), name)));
  },
};
