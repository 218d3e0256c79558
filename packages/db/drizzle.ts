/*
 * The query builder, as far as we use it. Its package.json has 180 KB, and Node parses it for every import that names the
 * package: named here once instead of in 200 files, a command needs a quarter less processor time to start (measured).
 */
export {
  and,
  arrayContains,
  arrayOverlaps,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  getTableName,
  gt,
  gte,
  inArray,
  is,
  isNotNull,
  isNull,
  lt,
  lte,
  min,
  ne,
  notInArray,
  or,
  SQL,
  sql,
} from 'drizzle-orm';
