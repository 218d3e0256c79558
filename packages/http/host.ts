import cookie from '@fastify/cookie';
import type { HotStore } from '@ghasi/hot/hot-store';
import { rateLimiter } from '@ghasi/hot/rate-limit';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';
import { withSpan } from '@ghasi/telemetry/tracing';
import type { FastifyInstance } from 'fastify';
import { CORRELATION_HEADER, inRequestTrace } from './correlation.ts';
import { corsHeaders, parseOrigins, preflightHeaders } from './cors.ts';
import { crowdOf } from './crowd.ts';
import { addDocs } from './docs-page.ts';
import { drainOf } from './drain.ts';
import { addHealthRoutes, type ReadinessCheck } from './health.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { addMetricsRoute, type MetricsAccess } from './metrics-route.ts';
import { openApi } from './openapi.ts';
import type { Authenticate, ResolveTenant } from './principal.ts';
import { defaultQuotas, type HostQuotas, rateLimits } from './rate-limits.ts';
import { addRequestLog } from './request-log.ts';
import { methods } from './route.ts';
import { routeViolations } from './route-rules.ts';
import { addSecurityHeaders } from './security-headers.ts';
import { type HostService, type Serving, serve } from './serve.ts';
import { newServer } from './server.ts';

/** Settings of a host; every one has a safe default. */
export type HostConfig = {
  /** Addresses or CIDR ranges of proxies in front of us. Without them X-Forwarded-* is ignored. */
  trustedProxies?: readonly string[];
  /** Origins of our own pages on other hosts. Without them CORS stays closed. */
  allowedOrigins?: readonly string[];
  limits?: Partial<Limits>;
  quotas?: Partial<HostQuotas>;
  /** Default `loopback`. */
  metricsAccess?: MetricsAccess;
  /** `/openapi.json` and `/docs`; default true. */
  docs?: boolean;
  title?: string;
};

/** What a host is made of. */
export type HostParts = {
  services: readonly HostService[];
  authenticate: Authenticate;
  resolveTenant: ResolveTenant;
  hot: { readonly state: HotStore };
  log: Logger;
  metrics: Metrics;
  /** Checks behind `/readyz`, by name. */
  ready?: Readonly<Record<string, ReadinessCheck>>;
  /** Named there too, but served without, if less well. */
  degrades?: Readonly<Record<string, ReadinessCheck>>;
  /** Adds pages that are no route of a service, such as a site for people. */
  pages?: (fastify: FastifyInstance) => Promise<void>;
  /** Time for handlers; default the real one. */
  now?: () => Date;
  config?: HostConfig;
};

/** A running or ready-to-run HTTP server. */
export type Host = {
  fastify: FastifyInstance;
  /** Listens and returns the address; port 0 takes a free one, host defaults to 127.0.0.1. */
  listen(port: number, host?: string): Promise<string>;
  /** Announces the end: `/readyz` turns 503, requests are still served. */
  drain(): void;
  /** Drains and stops within `drainTimeoutMs`. */
  close(): Promise<void>;
};

/** Builds the server of a set of services; throws with every broken route rule at once. */
export async function createHost(parts: HostParts): Promise<Host> {
  const violations = routeViolations(parts.services);
  if (violations.length > 0) {
    throw new TypeError(`These routes break the rules of the host:\n- ${violations.join('\n- ')}`);
  }
  const config = parts.config ?? {};
  const bounds: Limits = { ...defaultLimits, ...config.limits };
  const serving = servingOf(parts, bounds);
  const fastify = newServer({ limits: bounds, log: parts.log, trustedProxies: config.trustedProxies });
  const drain = drainOf(fastify, bounds);

  fastify.addHook('onRequest', async (request, reply) => {
    reply.header(CORRELATION_HEADER, request.id);
    reply.headers(corsHeaders(request.headers, serving.allowedOrigins));
  });
  addRequestLog(fastify, parts.log, parts.metrics);
  await addSecurityHeaders(fastify);
  await fastify.register(cookie);
  const { ready: checks = {}, degrades = {}, log } = parts;
  addHealthRoutes(fastify, { checks, degrades, isDraining: drain.isDraining, log });
  addMetricsRoute(fastify, parts.metrics, config.metricsAccess ?? 'loopback');
  if (config.docs ?? true) {
    await addDocs(fastify, openApi(parts.services, { title: config.title ?? 'Melmastoon', version: '1' }));
  }
  if (serving.allowedOrigins.size > 0) addPreflight(fastify, serving.allowedOrigins);
  for (const service of parts.services) addService(fastify, serving, service);
  await parts.pages?.(fastify);
  await fastify.ready();
  return {
    fastify,
    listen: (port, host = '127.0.0.1') => fastify.listen({ port, host }),
    drain: drain.start,
    close: drain.close,
  };
}

function servingOf(parts: HostParts, bounds: Limits): Serving {
  const { authenticate, resolveTenant, hot, log, metrics, config } = parts;
  return {
    authenticate,
    resolveTenant,
    limits: rateLimits(rateLimiter(hot.state), metrics),
    quotas: { ...defaultQuotas, ...config?.quotas },
    allowedOrigins: parseOrigins(config?.allowedOrigins ?? []),
    bounds,
    crowd: crowdOf(bounds, metrics),
    metrics,
    log,
    now: parts.now ?? (() => new Date()),
  };
}

function addService(fastify: FastifyInstance, serving: Serving, service: HostService): void {
  for (const route of service.routes) {
    const { method, path } = route;
    fastify.route({
      method,
      url: path,
      config: { service: service.name },
      handler: (request, reply) =>
        inRequestTrace(request.id, request.headers, () =>
          withSpan({ name: `${method} ${path}`, kind: 'server' }, { service: service.name }, () =>
            serve(serving, { service, route }, { request, reply }),
          ),
        ),
    });
  }
}

/** Answers preflights; corsHeaders has decided already whether this origin gets any permission. */
function addPreflight(fastify: FastifyInstance, allowedOrigins: ReadonlySet<string>): void {
  fastify.options('/*', (request, reply) => {
    if (allowedOrigins.has(request.headers.origin ?? '')) reply.headers(preflightHeaders(methods));
    return reply.code(204).send();
  });
}
