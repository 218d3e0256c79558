import { asyncApi } from './asyncapi.ts';
import { cliPage } from './cli.ts';
import { environmentPage } from './environment.ts';
import { errorsPage } from './errors.ts';
import { eventBypasses } from './event-bypasses.ts';
import { eventHashes } from './event-hashes.ts';
import { eventSchemaPages } from './event-schema-pages.ts';
import { eventSchemas } from './event-schemas.ts';
import { eventsPage } from './events-page.ts';
import type { Generator } from './generator.ts';
import { licencesPage } from './licences.ts';
import { metricsPage } from './metrics.ts';
import { pubsubFiles } from './pubsub.ts';
import { rolesAndRoutesPage } from './roles-and-routes.ts';
import { serviceMap } from './service-map.ts';

/** Everything generated; `npm run generate` writes it, `npm run ci` compares it. */
export const generators: Generator[] = [
  cliPage,
  environmentPage,
  errorsPage,
  licencesPage,
  metricsPage,
  rolesAndRoutesPage,
  eventSchemas,
  eventHashes,
  eventBypasses,
  eventsPage,
  eventSchemaPages,
  serviceMap,
  pubsubFiles,
  asyncApi,
];
