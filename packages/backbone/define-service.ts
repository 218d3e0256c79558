import type { Database } from '@ghasi/db/database';
import type { PgTable } from '@ghasi/db/drizzle-tables';
import type { CatalogueEntry } from '@ghasi/domain-primitives/errors';
import type { EventType } from '@ghasi/event-envelope/define-event';
import { type AnyRoute, isIdempotent } from '@ghasi/http/route';
import type { JobDefinition, Schedule } from '@ghasi/jobs/define-job';
import type { LabelsOf, MetricNameOf, Reading } from '@ghasi/telemetry/metrics';
import { type Delivery, defaultDelivery } from './delivery.ts';
import { pruneIdempotency } from './prune-idempotency.ts';
import type { Answer, Question } from './question.ts';
import type { Reaction } from './reaction.ts';

/** A number of a service that is read when the metrics are. */
export type Gauge<Name extends MetricNameOf<'gauge'> = MetricNameOf<'gauge'>> = {
  readonly metric: Name;
  read(db: Database): Promise<readonly Reading<Name>[]>;
};

/** A counter with labels that are known before anything happens. */
export type Count<Name extends MetricNameOf<'counter'> = MetricNameOf<'counter'>> = {
  readonly metric: Name;
  readonly labels: LabelsOf<Name>;
};

/** A bounded context as a table of contents: what it owns, says, hears and runs. */
export type Service = {
  readonly name: `${string}-service`;
  /** Its PostgreSQL schema, `front_desk` of `front-desk-service`; its role is `svc_<schema>`. */
  readonly schema: string;
  /** The folder of its numbered SQL files. */
  readonly migrations: URL;
  /** Its Drizzle tables; a test compares them with the migrated database. */
  readonly tables: Readonly<Record<string, PgTable>>;
  /** Events it alone may publish. */
  readonly publishes: readonly EventType[];
  /** What it does when others' events arrive. */
  readonly reacts: readonly Reaction[];
  /** How many messages it handles at once, and whether a key's order matters to it (ORD-06..12, X-064). */
  readonly delivery: Delivery;
  readonly routes: readonly AnyRoute[];
  readonly jobs: readonly JobDefinition[];
  readonly schedules: readonly Schedule[];
  /** Shown by the process that runs its jobs, so that no two show the same. */
  readonly gauges: readonly Gauge[];
  /** Shown as 0 from the start: a counter that is born with its first burst has no increase to alert on. */
  readonly counts: readonly Count[];
  readonly errors: readonly CatalogueEntry[];
  /** Questions of other services it answers inside their requests. */
  readonly answers: readonly Answer[];
  /** Questions it asks. */
  readonly needs: readonly Question[];
};

type Optional =
  | 'jobs'
  | 'schedules'
  | 'gauges'
  | 'counts'
  | 'answers'
  | 'needs'
  | 'tables'
  | 'routes'
  | 'publishes'
  | 'reacts';

/**
 * Defines a service. Whatever is left out is empty. A service that takes writes over HTTP gets the hourly job that
 * removes old idempotency keys, so that nobody has to remember it.
 */
export function defineService(
  definition: Omit<Service, Optional | 'errors' | 'delivery'> &
    Partial<Pick<Service, Optional>> & {
      errors?: { readonly catalogue: readonly CatalogueEntry[] };
      delivery?: Partial<Delivery>;
    },
): Service {
  const writes = definition.routes?.some(isIdempotent) ?? false;
  return {
    tables: {},
    publishes: [],
    reacts: [],
    routes: [],
    jobs: [],
    gauges: [],
    counts: [],
    answers: [],
    needs: [],
    ...definition,
    schedules: [...(definition.schedules ?? []), ...(writes ? [pruneIdempotency(definition.schema)] : [])],
    errors: definition.errors?.catalogue ?? [],
    delivery: { ...defaultDelivery, ...definition.delivery },
  };
}
