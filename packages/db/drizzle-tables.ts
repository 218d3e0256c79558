import { bigint, date, timestamp } from 'drizzle-orm/pg-core';

/* What tables are described with; named here once for the reason in drizzle.ts. */
export {
  bigint,
  boolean,
  customType,
  date,
  doublePrecision,
  foreignKey,
  getTableConfig,
  type IndexedColumn,
  index,
  integer,
  jsonb,
  type PgColumn,
  PgTable,
  pgSchema,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core';

/** A moment. */
export const at = (name: string) => timestamp(name, { withTimezone: true });

/** Money in minor units, or a count that may grow as large: never through a float. */
export const minor = (name: string) => bigint(name, { mode: 'bigint' });

/** A hotel day: text, since it has no zone. */
export const day = (name: string) => date(name, { mode: 'string' });
