import { and, asc, desc, eq, gt, lt, or, sql } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { UUIDv7 } from '@ghasi/domain-primitives/uuid';
import type { z } from 'zod';
import type { entryFilter } from '../contract/resources.ts';
import type { Entry } from '../entry.ts';
import { entries, notes } from '../tables.ts';

type Tx = Ctx['tx'];

/** An entry and the day it is counted to. */
export type StoredEntry = { entry: Entry; day: LocalDate };

/** An entry; one of another tenant is not found. */
export async function readEntry(tx: Tx, id: Id<'aud'>): Promise<StoredEntry> {
  const [found] = await tx
    .select()
    .from(entries)
    .where(eq(entries.id, idToUuid(id)));
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Audit entry' });
  return { entry: fromRow(found), day: found.day };
}

/** Entries that fit, latest first. */
export async function listEntries(
  tx: Tx,
  { about, actor, action, day, before, limit }: z.output<typeof entryFilter>,
): Promise<Entry[]> {
  const found = await tx
    .select()
    .from(entries)
    .where(
      and(
        about === undefined ? undefined : eq(entries.aboutId, about),
        actor === undefined ? undefined : eq(entries.actorId, actor),
        action === undefined
          ? undefined
          : or(eq(entries.action, action), sql`starts_with(${entries.action}, ${`${action}.`})`),
        day === undefined ? undefined : eq(entries.day, day as LocalDate),
        before === undefined ? undefined : lt(entries.position, before),
      ),
    )
    .orderBy(desc(entries.position))
    .limit(limit);
  return found.map(fromRow);
}

/** So many entries after a position, in their order. */
export async function entriesAfter(tx: Tx, position: number, most: number): Promise<Entry[]> {
  const found = await tx
    .select()
    .from(entries)
    .where(gt(entries.position, position))
    .orderBy(asc(entries.position))
    .limit(most);
  return found.map(fromRow);
}

/** The hash at a position; null before the first. */
export async function hashAt(tx: Tx, position: number): Promise<string | null> {
  const [found] = await tx.select({ hash: entries.hash }).from(entries).where(eq(entries.position, position));
  return found?.hash ?? null;
}

/** What somebody wrote into an entry. */
export async function findNote(
  tx: Tx,
  entryId: Id<'aud'>,
): Promise<{ salt: string; text: string } | undefined> {
  const [found] = await tx
    .select({ salt: notes.salt, text: notes.text })
    .from(notes)
    .where(eq(notes.entryId, idToUuid(entryId)));
  return found;
}

export function insertNote(
  { tx, tenantId, write }: Ctx,
  entryId: Id<'aud'>,
  note: { salt: string; text: string },
): void {
  write(tx.insert(notes).values({ tenantId, entryId: idToUuid(entryId), ...note }));
}

/** Forgets a note; returns how many there were. */
export async function deleteNote(tx: Tx, entryId: Id<'aud'>): Promise<number> {
  const { rowCount } = await tx.delete(notes).where(eq(notes.entryId, idToUuid(entryId)));
  return rowCount ?? 0;
}

function fromRow(row: typeof entries.$inferSelect): Entry {
  return {
    version: 1,
    tenantId: row.tenantId,
    position: row.position,
    previousHash: row.previousHash,
    entryId: idFromUuid('aud', row.id),
    action: row.action,
    about: { type: row.aboutType, id: row.aboutId },
    actor: { type: row.actorType, id: row.actorId },
    eventId: row.eventId as UUIDv7 | null,
    payloadHash: row.payloadHash,
    noteHash: row.noteHash,
    recordedAt: row.recordedAt.toISOString(),
    occurredAt: row.occurredAt.toISOString(),
    entryHash: row.hash,
  };
}
