import type { Backbone } from '@ghasi/backbone/backbone';
import type { Service } from '@ghasi/backbone/define-service';
import { type Database, type Outbox, openDatabase } from '@ghasi/db/database';
import { roleUrl, serviceRole } from '@ghasi/db/roles';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Metrics } from '@ghasi/telemetry/metrics';

type Opening = {
  adminUrl: string;
  secret: string;
  services: readonly Service[];
  backbone: Backbone;
  log: Logger;
  metrics: Metrics;
};

/** Roles among the databases; no schema can have such a name. */
export const RELAY = 'role:relay';
export const MAINTENANCE = 'role:maintenance';

/** Connections of one process, all services together; the embedded server takes 200. */
const MOST_CONNECTIONS = 150;

/** One pool per service under its own role, one for the relay and one for maintenance work. */
export function openDatabases(opening: Opening): Record<string, Database> {
  const { adminUrl, secret, services, backbone, log, metrics } = opening;
  const open = (name: string, role: string, max: number, outbox?: Outbox) =>
    openDatabase({
      url: roleUrl(adminUrl, role, secret),
      service: name,
      max,
      log,
      metrics,
      ...(outbox === undefined ? {} : { outbox }),
    });
  const share = Math.min(10, Math.max(3, Math.floor(MOST_CONNECTIONS / services.length)));
  return {
    ...Object.fromEntries(
      services.map(({ name, schema }) => [
        schema,
        open(name, serviceRole(schema), share, backbone.outboxOf(schema)),
      ]),
    ),
    [RELAY]: open('relay', 'relay', 6),
    [MAINTENANCE]: open('maintenance', 'maintenance', 2),
  };
}
