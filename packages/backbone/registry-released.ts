import { type Database, openClient } from '@ghasi/db/database';
import { OWNER_ROLE } from '@ghasi/db/roles';
import type { Client } from 'pg';
import type { ReleasedHashes } from './registry.ts';

/** What a release is to leave in the trail of operations, once. */
export type ReleaseNotice = {
  readonly action: string;
  readonly reason: string;
  readonly detail: Readonly<Record<string, string>>;
};

/** What a release says of itself on a database; `notices` default to none. */
export type Released = {
  readonly schemas: ReleasedHashes;
  readonly notices?: readonly ReleaseNotice[];
  /** Who deploys it. */
  readonly actor: string;
};

/**
 * Tells every process on a database, also those of the release before, which schemas this release writes (REG-04), and
 * whoever asks later what was unusual about it. Only the owner may: whoever else wrote schemas here could have a forged
 * message accepted. Nothing is ever taken back.
 */
export async function recordReleased(adminUrl: string, released: Released): Promise<void> {
  const { schemas, notices = [], actor } = released;
  const client = await openClient(adminUrl, 'melm-release');
  try {
    await client.query(`set role ${OWNER_ROLE}`);
    await client.query(
      `insert into brokers.released_schema (subject, hash)
       select s.key, h.hash
       from jsonb_each($1) s
       cross join lateral jsonb_array_elements_text(s.value) h (hash)
       on conflict do nothing`,
      [JSON.stringify(schemas)],
    );
    if (notices.length > 0) await recordNotices(client, actor, notices);
  } finally {
    await client.end();
  }
}

/** Each once, also when two processes of a release start together. */
async function recordNotices(
  client: Client,
  actor: string,
  notices: readonly ReleaseNotice[],
): Promise<void> {
  await client.query('begin');
  await client.query('lock table brokers.operation in share row exclusive mode');
  await client.query(
    `insert into brokers.operation (actor, action, reason, detail)
     select $1, n.action, n.reason, n.detail
     from jsonb_to_recordset($2) n (action text, reason text, detail jsonb)
     where not exists (select from brokers.operation o where o.action = n.action and o.detail = n.detail)`,
    [actor, JSON.stringify(notices)],
  );
  await client.query('commit');
}

/** What all releases that ever ran on a database recorded; `db` is signed in as `relay`. */
export async function recordedSchemas(db: Pick<Database, 'pool'>): Promise<ReleasedHashes> {
  const { rows } = await db.pool.query<{ subject: string; hashes: string[] }>(
    'select subject, array_agg(hash) as hashes from brokers.released_schema group by subject',
  );
  return Object.fromEntries(rows.map(({ subject, hashes }) => [subject, hashes]));
}
