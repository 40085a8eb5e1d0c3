import { auditEventSchema } from '../../schemas/generated/audit-event.ts';
import { rulesetSchema } from '../../schemas/generated/ruleset.ts';
import type { Route, RouteAnswer, RouteBody, Schema } from '../route.ts';
import { ownComponents } from '../schemas.ts';

/** The OpenAPI 3.1 document of the routes, with the schemas that validation itself uses as its components. */
export function buildOpenApi(routes: readonly Route[], version: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method]: operation(route) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Toolroll control API',
      version,
      description: 'Rules, status, audit, health and metrics of one Toolroll process.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: {
        ...ownComponents,
        ...hoist('RuleSet', rulesetSchema),
        ...hoist('AuditEvent', auditEventSchema),
      },
      securitySchemes: {
        adminKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'ADMIN_API_KEY. Without one, /api answers to callers on loopback.',
        },
      },
    },
  };
}

function operation(route: Route): Record<string, unknown> {
  const { summary, description, parameters, body } = route;
  return {
    tags: [route.group],
    summary,
    ...(description !== undefined && { description }),
    ...(parameters && { parameters }),
    ...(body && { requestBody: requestBody(body) }),
    responses: Object.fromEntries(
      Object.entries(route.answers).map(([status, answer]) => [status, response(answer)]),
    ),
    security: route.access === 'admin' ? [{ adminKey: [] }] : [],
  };
}

function requestBody(body: RouteBody): Record<string, unknown> {
  const content = body.accepts.map((mediaType) => [mediaType, { schema: body.schema }]);
  return { description: body.description, required: true, content: Object.fromEntries(content) as unknown };
}

function response(answer: RouteAnswer): Record<string, unknown> {
  const { description, contentType = 'application/json', schema } = answer;
  return { description, ...(schema && { content: { [contentType]: { schema } } }) };
}

/** A schema's own definitions become components beside it, since a document knows no others. */
function hoist(name: string, schema: Schema): Record<string, unknown> {
  const { definitions } = schema;
  const own = Object.entries(schema).filter(([key]) => !['$schema', '$id', 'definitions'].includes(key));
  const parts = typeof definitions === 'object' && definitions !== null ? Object.entries(definitions) : [];
  const all: [string, unknown][] = [[name, Object.fromEntries(own)], ...parts];
  return Object.fromEntries(all.map(([key, part]) => [key, withComponentRefs(part)]));
}

function withComponentRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withComponentRefs);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, field]: [string, unknown]) => [
    key,
    key === '$ref' && typeof field === 'string'
      ? field.replace('#/definitions/', '#/components/schemas/')
      : withComponentRefs(field),
  ]);
  return Object.fromEntries(entries) as unknown;
}
