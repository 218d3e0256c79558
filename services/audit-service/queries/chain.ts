import { eq, inArray, sql } from '@ghasi/db/drizzle';
import { execute, rows } from '@ghasi/db/sql';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import type { UUIDv7 } from '@ghasi/domain-primitives/uuid';
import type { ActorType, Deed, Entry } from '../entry.ts';
import { dayOf, emptyChain, type Head } from '../model.ts';
import { chains, entries } from '../tables.ts';

/** An event that is to be recorded. */
export type Arrival = Omit<Deed, 'entryId' | 'noteHash'> & { eventId: UUIDv7; payloadHash: string };

/** Puts events down to be recorded, in one statement; those that are there already stay as they are. */
export function insertArrivals({ tx, tenantId, write }: Ctx, found: readonly Arrival[]): void {
  const column = (of: (one: Arrival) => unknown) => sql.param(found.map(of));
  write(
    execute(
      tx,
      sql`insert into audit.arrivals (tenant_id, event_id, action, about_type, about_id, actor_type, actor_id,
                                      occurred_at, payload_hash)
          select ${tenantId}::uuid, a.*
          from unnest(${column(one => one.eventId)}::uuid[], ${column(one => one.action)}::text[],
                      ${column(one => one.about.type)}::text[], ${column(one => one.about.id)}::text[],
                      ${column(one => one.actor.type)}::text[], ${column(one => one.actor.id)}::text[],
                      ${column(one => one.occurredAt)}::timestamptz[], ${column(one => one.payloadHash)}::text[]) a
          on conflict do nothing`,
    ),
  );
}

type ArrivalRow = {
  eventId: UUIDv7;
  action: string;
  aboutType: string;
  aboutId: string;
  actorType: ActorType;
  actorId: string;
  occurredAt: Date;
  payloadHash: string;
};

/** Takes the oldest arrivals away, in the order they happened. Callers hold the chain's lock. */
export async function takeArrivals({ tx, tenantId }: Ctx, most: number): Promise<Arrival[]> {
  const taken = await rows<ArrivalRow>(
    tx,
    sql`delete from audit.arrivals a
        using (select event_id from audit.arrivals
               where tenant_id = ${tenantId}
               order by occurred_at, event_id
               limit ${most}) oldest
        where a.tenant_id = ${tenantId}
          and a.event_id = oldest.event_id
        returning a.event_id as "eventId", a.action, a.about_type as "aboutType", a.about_id as "aboutId",
                  a.actor_type as "actorType", a.actor_id as "actorId", a.occurred_at as "occurredAt",
                  a.payload_hash as "payloadHash"`,
  );
  return taken
    .sort((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime() || (a.eventId < b.eventId ? -1 : 1))
    .map(({ aboutType, aboutId, actorType, actorId, ...one }) => ({
      ...one,
      about: { type: aboutType, id: aboutId },
      actor: { type: actorType, id: actorId },
    }));
}

/** Which of these events the chain has. The inbox forgets after 30 days, the chain does not. */
export async function recordedAmong({ tx }: Ctx, eventIds: readonly string[]): Promise<Set<string>> {
  if (eventIds.length === 0) return new Set();
  const found = await tx
    .select({ eventId: entries.eventId })
    .from(entries)
    .where(inArray(entries.eventId, [...eventIds]));
  return new Set(found.flatMap(({ eventId }) => eventId ?? []));
}

/**
 * The end of the tenant's chain, locked until the transaction ends: who appends next waits here. Sent at once (`then`): what
 * is sent after it runs under the lock.
 */
export function lockChain({ tx, tenantId, write }: Ctx): Promise<Head> {
  write(tx.insert(chains).values({ tenantId }).onConflictDoNothing());
  const locked = tx.select().from(chains).where(eq(chains.tenantId, tenantId)).for('update');
  return locked.then(([found]) => found ?? emptyChain);
}

/** The end of the tenant's chain. */
export async function readHead({ tx }: Pick<Ctx, 'tx'>): Promise<Head> {
  const [found] = await tx.select().from(chains);
  return found ?? emptyChain;
}

/** Writes down where the chain ends now. Callers hold its lock. */
export function saveHead({ tx, tenantId, write }: Ctx, head: Partial<Head>): void {
  write(tx.update(chains).set(head).where(eq(chains.tenantId, tenantId)));
}

/** Adds links to the chain, in one statement. */
export function insertEntries({ tx, tenantId, write }: Ctx, made: readonly Entry[]): void {
  const rowOf = ({ entryId, about, actor, entryHash, version: _, ...entry }: Entry) => ({
    ...entry,
    tenantId,
    id: idToUuid(entryId),
    aboutType: about.type,
    aboutId: about.id,
    actorType: actor.type,
    actorId: actor.id,
    hash: entryHash,
    recordedAt: new Date(entry.recordedAt),
    occurredAt: new Date(entry.occurredAt),
    day: dayOf(new Date(entry.recordedAt)),
  });
  write(tx.insert(entries).values(made.map(rowOf)));
}
