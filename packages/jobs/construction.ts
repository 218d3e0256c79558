import { getConstructionPlans } from 'pg-boss';

/** The schema pg-boss lives in. */
export const BOSS_SCHEMA = 'jobs';

/**
 * The first migration: what the installed pg-boss would execute on an empty database. Our migrator runs each file in
 * its own transaction and has made the schema already.
 */
export function constructionSql(): string {
  const plan = getConstructionPlans(BOSS_SCHEMA, { createSchema: false });
  const body = plan.replace(/^\s*BEGIN;\n/, '').replace(/\n\s*COMMIT;\s*$/, '\n');
  if (/^\s*(BEGIN|COMMIT);/m.test(body)) throw new Error('the plan of pg-boss is no longer one transaction');
  const lines = body.split('\n').map(line => line.trimEnd());
  return `${HEADER}\n${lines.join('\n').trim()}\n`;
}

const HEADER = `-- why: the tables of pg-boss 12.35.0, schema 43, exactly as its own construction plan makes them (construction.ts).
-- long: generated; the plan is one piece.`;
