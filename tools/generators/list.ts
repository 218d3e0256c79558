import { cliPage } from './cli.ts';
import { environmentPage } from './environment.ts';
import { errorsPage } from './errors.ts';
import type { Generator } from './generator.ts';
import { licencesPage } from './licences.ts';
import { metricsPage } from './metrics.ts';
import { rolesAndRoutesPage } from './roles-and-routes.ts';

/** Every generated page; `npm run generate` writes them, `npm run ci` compares them. */
export const generators: Generator[] = [
  cliPage,
  environmentPage,
  errorsPage,
  licencesPage,
  metricsPage,
  rolesAndRoutesPage,
];
