import type { Database } from '@ghasi/db/database';
import type { CatalogueEntry } from '@ghasi/domain-primitives/errors';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { admit, type Door } from './admission.ts';
import type { Crowd } from './crowd.ts';
import { refuseCrossSite } from './csrf.ts';
import { executeRoute, type Run } from './execute.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { parseInput, type RawInput } from './input.ts';
import type { Limits } from './limits.ts';
import { refuseOtherMedia } from './media-type.ts';
import { executeOnce } from './once.ts';
import { type LazyBody, lazyBody } from './read-body.ts';
import { sendRendered } from './reply.ts';
import { factsOf } from './request-facts.ts';
import { type AnyRoute, isIdempotent, isMutating } from './route.ts';
import { parseSafeJson } from './safe-json.ts';

/** A service as the host runs it. `schema` is where its `idempotency` table lives. */
export type HostService = {
  readonly name: string;
  readonly schema: string;
  readonly db: Database;
  readonly routes: readonly AnyRoute[];
  readonly errors?: { readonly catalogue: readonly CatalogueEntry[] };
};

/** What every request needs from the host. */
export type Serving = Door & {
  allowedOrigins: ReadonlySet<string>;
  bounds: Limits;
  crowd: Crowd;
  metrics: Metrics;
  log: Logger;
  now: () => Date;
};

/**
 * One request from the door to the answer. The order is the promise: nothing is read from a stranger before the door
 * let him in, nothing is looked up under a key before he is known, nothing runs before its input is valid.
 */
export async function serve(
  host: Serving,
  { service, route }: { service: HostService; route: AnyRoute },
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const body = lazyBody(request.raw, host.bounds.bodyBytes);
  try {
    host.crowd.assertRoom(service.name, route);
    if (isMutating(route)) refuseCrossSite(request.headers, request.host, host.allowedOrigins);
    refuseOtherMedia(request.raw);
    const facts = factsOf(request, route, body);
    const { principal, tenantId } = await admit(host, service.name, route, facts);
    const key = isIdempotent(route)
      ? readIdempotencyKey(request.raw.rawHeaders, { open: principal === undefined })
      : undefined;
    const raw = await readInput(request, body, host.bounds);
    const run: Run = {
      db: service.db,
      route,
      tenantId,
      principal,
      input: parseInput(route, raw),
      facts,
      cspNonce: reply.cspNonce,
      timeoutMs: route.timeoutMs ?? host.bounds.handlerTimeoutMs,
      now: host.now(),
      log: host.log.child({ service: service.name }),
    };
    const { schema, name } = service;
    // Only now: whoever sends a body slowly takes nobody's place.
    const rendered = await host.crowd.within(name, route, () =>
      key === undefined
        ? executeRoute(run)
        : executeOnce({ ...run, schema, service: name, key, raw, metrics: host.metrics }),
    );
    return sendRendered(reply, route, rendered);
  } catch (error) {
    // The rest of an unread body would be taken for the next request on this connection.
    if (!body.complete) reply.header('connection', 'close');
    throw error;
  }
}

async function readInput(request: FastifyRequest, body: LazyBody, bounds: Limits): Promise<RawInput> {
  const bytes = await body.bytes();
  return {
    params: { ...(request.params as object) },
    query: { ...(request.query as object) },
    body: bytes.length === 0 ? undefined : parseSafeJson(bytes, bounds),
  };
}
