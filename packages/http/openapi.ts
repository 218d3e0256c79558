import { STATUS_CODES } from 'node:http';
import { type CatalogueEntry, coreErrors } from '@ghasi/domain-primitives/errors';
import { z } from 'zod';
import { isEmpty, mediaTypeOf } from './content.ts';
import { httpErrors } from './errors.ts';
import { PROBLEM_MEDIA_TYPE } from './problem.ts';
import { type AnyRoute, isIdempotent, isMutating } from './route.ts';
import type { RoutedService } from './route-rules.ts';

type Json = { [key: string]: unknown };

/**
 * The OpenAPI 3.1 description of a set of services; a pure function of their routes, so it cannot drift. What services
 * ask each other is nobody else's business and left out.
 */
export function openApi(services: readonly RoutedService[], info: { title: string; version: string }): Json {
  const paths: Record<string, Json> = {};
  const schemas: Json = { Problem: problemSchema };
  for (const service of services) {
    for (const route of service.routes.filter(({ auth }) => auth.kind !== 'service')) {
      const path = route.path.replaceAll(/:([a-zA-Z0-9]+)/g, '{$1}');
      paths[path] ??= {};
      paths[path][route.method.toLowerCase()] = operation(service.name, route, schemas);
    }
  }
  return {
    openapi: '3.1.0',
    info,
    tags: services.filter(isPublic).map(({ name }) => ({ name })),
    paths,
    components: { schemas, securitySchemes },
  };
}

function isPublic({ routes }: RoutedService): boolean {
  return routes.some(({ auth }) => auth.kind !== 'service');
}

function operation(service: string, route: AnyRoute, schemas: Json): Json {
  const { auth } = route;
  const id = operationId(route);
  return {
    operationId: id,
    tags: [service],
    summary: route.summary,
    security: auth.kind === 'open' ? [] : [{ [auth.kind]: [] }],
    ...('roles' in auth && auth.roles.length > 0 ? { 'x-roles': auth.roles } : {}),
    ...(auth.kind === 'operator' && auth.stepUp ? { 'x-step-up': auth.stepUp } : {}),
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(route.query, 'query'),
      ...(isIdempotent(route) ? [idempotencyParameter] : []),
    ],
    ...(route.body
      ? {
          requestBody: {
            required: !route.body.safeParse(undefined).success,
            content: {
              'application/json': { schema: hoisted(jsonSchema(route.body, 'input'), `${id}Body`, schemas) },
            },
          },
        }
      : {}),
    responses: { ...replies(route, id, schemas), ...refusals(route) },
  };
}

function operationId({ method, path }: AnyRoute): string {
  const words = path.split(/[/:._-]+/).filter(Boolean);
  return [method.toLowerCase(), ...words.map(word => word.charAt(0).toUpperCase() + word.slice(1))].join('');
}

function parameters(schema: z.ZodType | undefined, place: 'path' | 'query'): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

function replies(route: AnyRoute, id: string, schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(route.returns).map(([status, schema]) => {
      const mediaType = mediaTypeOf(schema);
      const content = isEmpty(schema)
        ? {}
        : mediaType
          ? { content: { [mediaType]: { schema: { type: 'string' } } } }
          : {
              content: {
                'application/json': {
                  schema: hoisted(jsonSchema(schema, 'output'), `${id}${status}`, schemas),
                },
              },
            };
      return [status, { description: STATUS_CODES[Number(status)] ?? 'Reply', ...content }];
    }),
  );
}

/** What the host answers by itself, by what guards the route, and the errors the route names. */
function refusals(route: AnyRoute): Json {
  const entries: CatalogueEntry[] = (route.errors ?? []).map(({ entry }) => entry);
  const add = (...factories: { entry: CatalogueEntry }[]) =>
    entries.push(...factories.map(({ entry }) => entry));
  add(coreErrors.VALIDATION_FAILED, coreErrors.RATE_LIMITED, coreErrors.INTERNAL, coreErrors.UNAVAILABLE);
  if (route.auth.kind !== 'open') add(coreErrors.UNAUTHENTICATED, coreErrors.FORBIDDEN);
  if (isMutating(route)) add(httpErrors.CROSS_SITE_REQUEST);
  if (route.body) {
    add(httpErrors.MALFORMED_JSON, coreErrors.BODY_TOO_LARGE, coreErrors.UNSUPPORTED_MEDIA_TYPE);
  }
  if (isIdempotent(route)) {
    add(coreErrors.IDEMPOTENCY_KEY_MISSING, coreErrors.IDEMPOTENCY_KEY_INVALID);
    add(coreErrors.IDEMPOTENCY_IN_PROGRESS, coreErrors.IDEMPOTENCY_KEY_REUSED);
  }
  const byStatus = Map.groupBy(entries, entry => entry.status);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: [...new Set(list.map(entry => entry.code))].sort().join(', '),
        content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

/** A schema that refers to itself moves to the components, where its references can point. */
function hoisted(schema: Json, name: string, schemas: Json): Json {
  const text = JSON.stringify(schema);
  if (!text.includes('"$ref":"#')) return schema;
  schemas[name] = JSON.parse(text.replaceAll('"$ref":"#', `"$ref":"#/components/schemas/${name}`));
  return { $ref: `#/components/schemas/${name}` };
}

const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'Your name for this request, e.g. a UUID. Repeat it to get the first answer again; kept 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const text = { type: 'string' };

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'qualifiedCode', 'correlationId'],
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    detail: text,
    code: text,
    qualifiedCode: text,
    correlationId: text,
    issues: {
      type: 'array',
      items: { type: 'object', properties: { path: text, code: text, message: text } },
    },
  },
};

const securitySchemes = {
  operator: { type: 'http', scheme: 'bearer', description: 'A signed-in operator' },
  device: { type: 'http', scheme: 'bearer', description: 'A paired device' },
  guest: { type: 'apiKey', in: 'cookie', name: '__Host-guest', description: 'A guest session' },
  service: { type: 'http', scheme: 'bearer', description: 'Another service of this installation' },
};
