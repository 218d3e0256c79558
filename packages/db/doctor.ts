import { randomBytes } from 'node:crypto';
import { type Client, escapeIdentifier } from 'pg';
import { type CatalogFact, readCatalog } from './catalog.ts';
import { openClient } from './database.ts';
import { type MigrationSet, migrate, platformMigrations, readMigrations } from './migrate.ts';
import { OWNER_ROLE, platformRoles, roleLimits, serviceRole } from './roles.ts';

/** One difference between a database and what this release would have made, with the statement that repairs it. */
export type Finding = {
  kind: string;
  name: string;
  problem: 'missing' | 'different' | 'unexpected';
  expected: string | undefined;
  found: string | undefined;
  repair: string;
};

/**
 * Compares a live database with a scratch one that the migrations have just made on the same server. Empty means
 * that tables, policies, grants, roles and history are exactly as released. Takes about a second.
 */
export async function inspect(adminUrl: string, sets: readonly MigrationSet[]): Promise<Finding[]> {
  const schemas = ['app', ...sets.map(set => set.schema)];
  const live = await openClient(adminUrl, 'melm-doctor');
  try {
    const history = await historyFindings(live, sets);
    const found = await readCatalog(live, schemas);
    const expected = [
      ...(await expectedRoles(live, schemas)),
      ...(await expectedCatalog(live, adminUrl, sets)),
    ];
    return [...history, ...difference(expected, found)];
  } finally {
    await live.end();
  }
}

const ofTheServer = new Set(['role', 'role setting', 'membership']);

/** What the migrations make of an empty database; roles belong to the server and are left as they are. */
async function expectedCatalog(
  live: Client,
  adminUrl: string,
  sets: readonly MigrationSet[],
): Promise<CatalogFact[]> {
  const name = `melm_doctor_${await dropLeftovers(live)}_${randomBytes(6).toString('hex')}`;
  await live.query(`create database ${escapeIdentifier(name)} template template0`);
  try {
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    await migrate(url.href, sets, { roles: 'leave' });
    const scratch = await openClient(url.href, 'melm-doctor');
    try {
      const facts = await readCatalog(scratch, ['app', ...sets.map(set => set.schema)]);
      return facts.filter(fact => !ofTheServer.has(fact.kind));
    } finally {
      await scratch.end();
    }
  } finally {
    await live.query(`drop database ${escapeIdentifier(name)} with (force)`);
  }
}

/**
 * Removes scratch databases that are an hour old: a doctor takes seconds, so whoever made them was stopped by Ctrl-C or lost
 * its line. Gives the server's clock in seconds, which the name of the next one carries.
 */
async function dropLeftovers(live: Client): Promise<string> {
  const { rows } = await live.query<{ name: string }>(
    `select d.datname as name
     from pg_catalog.pg_database d
     where substring(d.datname from '^melm_doctor_([0-9]{1,12})_[0-9a-f]{12}$')::bigint
             < extract(epoch from clock_timestamp()) - 3600
       and pg_catalog.pg_get_userbyid(d.datdba) = current_user`,
  );
  for (const { name } of rows)
    await live.query(`drop database if exists ${escapeIdentifier(name)} with (force)`);
  const clock = await live.query<{ now: string }>(
    `select floor(extract(epoch from clock_timestamp()))::text as now`,
  );
  return clock.rows[0]?.now ?? '0';
}

/** What every role must be: no power beyond its grants, member of nothing, with our time limits. */
async function expectedRoles(live: Client, schemas: readonly string[]): Promise<CatalogFact[]> {
  const { rows } = await live.query(`select current_setting('server_version_num')::int >= 170000 as modern`);
  const limits = Object.entries(roleLimits).filter(
    ([name]) => rows[0].modern || name !== 'transaction_timeout',
  );
  const logins = [...platformRoles, ...schemas.filter(schema => schema !== 'app').map(serviceRole)];
  const posture = 'nosuperuser nobypassrls nocreaterole nocreatedb noreplication';
  const role = (name: string, login: 'login' | 'nologin'): CatalogFact => ({
    kind: 'role',
    name,
    definition: `${posture} ${login}`,
    make: `alter role ${name} with ${posture} ${login};`,
    unmake: '',
  });
  return [
    role(OWNER_ROLE, 'nologin'),
    ...logins.map(name => role(name, 'login')),
    ...logins.flatMap(name =>
      limits.map(([setting, value]) => ({
        kind: 'role setting',
        name: `${name} ${setting}`,
        definition: `${setting}=${value}`,
        make: `alter role ${name} set ${setting} = '${value}';`,
        unmake: '',
      })),
    ),
  ];
}

/** Pairs two lists of facts by kind and name. */
export function difference(expected: CatalogFact[], found: CatalogFact[]): Finding[] {
  const key = (fact: CatalogFact) => `${fact.kind} ${fact.name}`;
  const there = new Map(found.map(fact => [key(fact), fact]));
  const wanted = new Map(expected.map(fact => [key(fact), fact]));
  const findings: Finding[] = [];
  for (const [name, fact] of wanted) {
    const live = there.get(name);
    if (live === undefined) findings.push(finding('missing', fact, undefined));
    else if (live.definition !== fact.definition) findings.push(finding('different', fact, live));
  }
  for (const [name, live] of there) {
    if (!wanted.has(name)) findings.push(finding('unexpected', undefined, live));
  }
  return findings;
}

function finding(
  problem: Finding['problem'],
  expected: CatalogFact | undefined,
  found: CatalogFact | undefined,
): Finding {
  const { kind, name } = (expected ?? found) as CatalogFact;
  const replace = kind === 'policy' || kind === 'constraint' || kind === 'index';
  const repair =
    problem === 'unexpected'
      ? (found?.unmake ?? '')
      : problem === 'different' && replace
        ? `${found?.unmake} ${expected?.make}`
        : (expected?.make ?? '');
  return { kind, name, problem, expected: expected?.definition, found: found?.definition, repair };
}

async function historyFindings(live: Client, sets: readonly MigrationSet[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const set of [platformMigrations, ...sets]) {
    const applied = await appliedVersions(live, set.schema);
    const files = await readMigrations(set);
    for (const file of files) {
      const checksum = applied.get(file.version);
      const about = { kind: 'migration', name: `${set.schema}/${file.version}` };
      if (checksum === undefined)
        findings.push({
          ...about,
          problem: 'missing',
          expected: file.checksum,
          found: undefined,
          repair: '-- run: melm migrate',
        });
      else if (checksum !== file.checksum)
        findings.push({
          ...about,
          problem: 'different',
          expected: file.checksum,
          found: checksum,
          repair: '-- restore the file that was applied, and write a new migration',
        });
    }
    for (const version of applied.keys()) {
      if (!files.some(file => file.version === version))
        findings.push({
          kind: 'migration',
          name: `${set.schema}/${version}`,
          problem: 'unexpected',
          expected: undefined,
          found: applied.get(version),
          repair: '-- run the newer release that wrote it',
        });
    }
  }
  return findings;
}

async function appliedVersions(live: Client, schema: string): Promise<Map<string, string>> {
  const exists = await live.query('select to_regclass($1) as found', [`${schema}.schema_migrations`]);
  if (exists.rows[0].found === null) return new Map();
  const { rows } = await live.query(
    `select version, checksum from ${escapeIdentifier(schema)}.schema_migrations`,
  );
  return new Map(rows.map(row => [row.version as string, row.checksum as string]));
}
