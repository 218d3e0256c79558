import {
  listQuarantined,
  type OutboxStatus,
  outboxStatus,
  type Quarantined,
  type QuarantineFilter,
  resolveQuarantined,
} from '@ghasi/brokers/operations/outboxes';
import type { Database } from '@ghasi/db/database';
import { cliErrors } from '../errors.ts';
import { type CutFlags, cut, limitOf, oneMore } from './cut.ts';
import { type ChangeFlags, changeOf, type LookFlags, numberOf, tenantOf } from './given.ts';
import { progress } from './progress.ts';
import { age, counted, oneLine, room, whole, whose } from './said.ts';
import { BELOW, table } from './table.ts';
import { topicOf } from './topics.ts';
import { withRelay } from './with-relay.ts';

/** Lists every outbox: what waits to be published, since when, and what could not be. */
export async function outbox(flags: LookFlags): Promise<void> {
  const found = await withRelay(flags, db => outboxStatus(db, tenantOf(flags)));
  if (flags.json) console.log(JSON.stringify(found));
  else console.log(statusText(found));
}

/** Lists the rows that could not be published and wait for somebody to decide. */
export async function outboxQuarantine(
  service: string | undefined,
  flags: LookFlags & CutFlags & { topic?: string },
): Promise<void> {
  const limit = limitOf(flags);
  const found = await withRelay(flags, async db =>
    listQuarantined(db, { ...(await filterOf(db, service, flags)), ...oneMore(limit) }),
  );
  const { rows, more } = cut(found, limit);
  if (flags.json) console.log(JSON.stringify(rows));
  else console.log(rows.length === 0 ? 'Nothing is in quarantine.' : quarantineTable(rows) + more);
}

/** Puts quarantined rows back to be published, or with `--skip` closes them unpublished; their keys go on either way. */
export async function outboxRelease(
  service: string,
  given: readonly string[],
  flags: ChangeFlags & { all?: boolean; skip?: boolean; topic?: string },
): Promise<void> {
  if ((given.length === 0) === (flags.all !== true))
    throw cliErrors.NOTHING_CHOSEN({ list: 'outbox quarantine' });
  const how = flags.skip ? 'skip' : 'release';
  const change = changeOf(flags);
  const seqs = given.map(seq => numberOf('The number', seq));
  const { rows, dryRun } = await withRelay(flags, async db => {
    const filter = {
      ...(await filterOf(db, service, flags)),
      schema: schemaOf(service),
      ...(seqs.length === 0 ? {} : { seqs }),
    };
    return resolveQuarantined(db, change, { how, filter }, progress(how === 'skip' ? 'closed' : 'put back'));
  });
  if (flags.json) return console.log(JSON.stringify({ how, rows, dryRun }));
  const what = how === 'skip' ? 'closed without being published' : 'put back to be published';
  const line = `${counted(rows.length, 'row')} ${dryRun ? 'would be ' : ''}${what}.`;
  console.log(dryRun && rows.length > 0 ? `${quarantineTable(rows)}\n\n${line} Nothing was changed.` : line);
}

/** The filter of the flags, with the topic checked: a misspelt one must not look like "none". */
async function filterOf(
  db: Database,
  service: string | undefined,
  flags: LookFlags & { topic?: string },
): Promise<QuarantineFilter> {
  return {
    ...tenantOf(flags),
    ...(service === undefined ? {} : { schema: schemaOf(service) }),
    ...(flags.topic === undefined ? {} : { topic: await quarantinedTopic(db, flags.topic) }),
  };
}

/** A topic that only rows in quarantine still have is one too. */
async function quarantinedTopic(db: Database, topic: string): Promise<string> {
  return (await listQuarantined(db, { topic, limit: 1 })).length > 0 ? topic : topicOf(db, topic);
}

/** `iam` or `iam-service`. */
function schemaOf(service: string): string {
  return service.replace(/-service$/, '').replaceAll('-', '_');
}

/** Those with something in them; the others are only counted. */
function statusText(found: readonly OutboxStatus[]): string {
  if (found.length === 0) return 'No service has an outbox yet.';
  const busy = found.filter(({ unpublished, quarantined }) => unpublished + quarantined > 0);
  const empty = found.length - busy.length;
  if (busy.length === 0) return `${counted(empty, 'outbox is', 'outboxes are')} empty.`;
  return [table(busy, statusRow), '', `${counted(empty, 'other is', 'others are')} empty.`].join('\n');
}

function statusRow({ schema, unpublished, oldestSeconds, failing, quarantined }: OutboxStatus) {
  return {
    outbox: schema,
    unpublished: whole(unpublished),
    oldest: unpublished === 0 ? '-' : age(oldestSeconds),
    failing: whole(failing),
    quarantined: whole(quarantined),
  };
}

function quarantineTable(rows: readonly Quarantined[]): string {
  return table(
    rows,
    ({ schema, seq, topic, attempts, ageSeconds }) => ({
      ...{ outbox: schema, number: seq, topic, attempts, age: age(ageSeconds) },
    }),
    ({ reason, error, tenantId, orderingKey }) => [
      oneLine(error === null ? reason : `${reason}: ${error}`, room(BELOW)),
      whose(tenantId, orderingKey),
    ],
  );
}
