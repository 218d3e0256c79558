import { hostname } from 'node:os';
import { Backbone } from '@ghasi/backbone/backbone';
import type { Service } from '@ghasi/backbone/define-service';
import type { Ask } from '@ghasi/backbone/question';
import { createSigner } from '@ghasi/backbone/signature';
import { openRedisStreamsBroker, type RedisStreamsBroker } from '@ghasi/brokers/redis-streams-broker';
import type { Database } from '@ghasi/db/database';
import { parseTenantId } from '@ghasi/domain-primitives/ids';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';
import { tenantIdClass } from '@ghasi/telemetry/tenant-class';
import { sizeOf } from '@melmastoon/property-service/contract/resources';
import type { Environment } from './environment.ts';
import { serverErrors } from './errors.ts';
import { deriveKey } from './secret.ts';
import { platformRegistry } from './services.ts';

/** Who speaks: the services of this process, among all of the platform. */
export type Speaking = {
  secret: string;
  services: readonly Service[];
  everything: readonly Service[];
  log?: Logger;
  metrics?: Metrics;
  /** Who is asked how large a tenant is; without it all are small. */
  ask?: Ask;
};

/**
 * Outboxes, relay and consumers of this process. Every process of an installation signs with the same key. Until it is
 * started, what its outboxes take waits for the relay of another process.
 */
export function createBackbone(
  env: Pick<Environment, 'MELM_COMMIT' | 'MELM_REGION' | 'MELM_PEERS'>,
  { secret, services, everything, ask, ...watched }: Speaking,
): Backbone {
  return new Backbone({
    services,
    registry: platformRegistry(everything),
    signer: createSigner([{ id: 'k1', secret: deriveKey(secret, 'events').toString('base64url') }]),
    producedBy: {
      instance: `${hostname()}-${process.pid}`,
      commit: env.MELM_COMMIT,
      region: env.MELM_REGION,
    },
    dataResidency: env.MELM_REGION,
    answeredElsewhere: schema => env.MELM_PEERS?.has(schema) ?? false,
    ...(ask === undefined ? {} : { tenantClassOf: tenantId => classOf(ask, tenantId) }),
    ...watched,
  });
}

async function classOf(ask: Ask, tenantId: string) {
  return tenantIdClass((await ask(sizeOf, { tenantId: parseTenantId(tenantId) })).rooms);
}

/** What carries the events, if it is not the log in PostgreSQL. `db` is signed in as `relay`; `hasSession` is the backbone's. */
export async function openBroker(
  { BROKER, REDIS_URL: url }: Pick<Environment, 'BROKER' | 'REDIS_URL'>,
  parts: { db: Database; log: Logger; metrics: Metrics; hasSession: () => boolean },
): Promise<RedisStreamsBroker | undefined> {
  if (BROKER === 'postgres' || url === undefined) return undefined;
  try {
    return await openRedisStreamsBroker({ ...parts, url });
  } catch (error) {
    const address = new URL(url).host;
    throw serverErrors.REDIS_UNREACHABLE({ address, reason: (error as Error).message }, { cause: error });
  }
}
