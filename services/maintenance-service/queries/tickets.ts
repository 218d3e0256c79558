import { and, asc, desc, eq, isNotNull, isNull, lt, ne, type SQL } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { CurrencyCode } from '@ghasi/domain-primitives/currencies';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { areas, resolutions, severities, ticketCategories } from '../contract.ts';
import type { Block, BlockKind, TicketStatus } from '../model.ts';
import { type StoredPart, steps, tickets } from '../tables.ts';

/** A work order. */
export type Ticket = {
  readonly id: Id<'mtk'>;
  readonly propertyId: Id<'pro'>;
  readonly roomId: Id<'rom'> | null;
  readonly area: (typeof areas)[number] | null;
  readonly category: (typeof ticketCategories)[number];
  readonly severity: (typeof severities)[number];
  readonly title: string;
  readonly description: string | null;
  readonly status: TicketStatus;
  readonly block: Block | null;
  readonly photoIds: readonly Id<'fil'>[];
  readonly reportedBy: Id<'usr'> | null;
  readonly reservationId: Id<'rsv'> | null;
  readonly taskId: Id<'hkt'> | null;
  readonly follows: Id<'mtk'> | null;
  /** A bare uuid. */
  readonly planId: string | null;
  readonly dueOn: LocalDate | null;
  readonly assigneeId: Id<'usr'> | null;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
  readonly closedBy: Id<'usr'> | null;
  readonly resolution: (typeof resolutions)[number] | null;
  readonly needsCleaning: boolean | null;
  readonly parts: readonly StoredPart[];
  readonly labourMinutes: number;
  readonly labourMinor: bigint;
  readonly costMinor: bigint;
  readonly currency: CurrencyCode;
  readonly version: number;
};

/** One step in the life of a ticket. */
export type Step = {
  readonly version: number;
  readonly status: TicketStatus;
  readonly at: Date;
  readonly by: Id<'usr'> | null;
  readonly note: string | null;
};

/** A ticket, in the hands of this transaction alone when asked for. */
export async function findTicket(
  { tx }: Pick<Ctx, 'tx'>,
  id: Id<'mtk'>,
  { forUpdate = false } = {},
): Promise<Ticket | undefined> {
  const query = tx
    .select()
    .from(tickets)
    .where(eq(tickets.id, idToUuid(id)));
  const [found] = await (forUpdate ? query.for('update') : query);
  return found && ticketFrom(found);
}

/** Which tickets of a house to list. */
export type TicketFilter = {
  propertyId: Id<'pro'>;
  status?: 'open' | 'closed' | undefined;
  roomId?: Id<'rom'> | undefined;
  assigneeId?: Id<'usr'> | undefined;
  before?: Id<'mtk'> | undefined;
  limit: number;
};

/** Tickets of a house before an id, newest first. */
export async function listTickets({ tx }: Pick<Ctx, 'tx'>, filter: TicketFilter): Promise<Ticket[]> {
  const { propertyId, status, roomId, assigneeId, before, limit } = filter;
  const byStatus = { open: isNull(tickets.resolution), closed: isNotNull(tickets.resolution) };
  const found = await tx
    .select()
    .from(tickets)
    .where(
      and(
        eq(tickets.propertyId, idToUuid(propertyId)),
        status && byStatus[status],
        roomId && eq(tickets.roomId, idToUuid(roomId)),
        assigneeId && eq(tickets.assigneeId, idToUuid(assigneeId)),
        before && lt(tickets.id, idToUuid(before)),
      ),
    )
    .orderBy(desc(tickets.id))
    .limit(limit);
  return found.map(ticketFrom);
}

/** The blocks of a room by open tickets. */
export async function blocksOf({ tx }: Pick<Ctx, 'tx'>, roomId: Id<'rom'>): Promise<Block[]> {
  const isBlocking = and(
    eq(tickets.roomId, idToUuid(roomId)),
    isNull(tickets.resolution),
    ne(tickets.block, 'none'),
  );
  const found = await tx
    .select()
    .from(tickets)
    .where(isBlocking as SQL);
  return found.map(ticketFrom).flatMap(({ block }) => (block === null ? [] : [block]));
}

/** Writes a ticket down as it is now, and the step that brought it there. */
export async function saveTicket(ctx: Ctx, ticket: Ticket, step: Pick<Step, 'by' | 'note'>): Promise<void> {
  const { block, photoIds, roomId, reportedBy, reservationId, taskId, follows, ...rest } = ticket;
  const { assigneeId, closedBy } = ticket;
  const values = {
    ...rest,
    tenantId: ctx.tenantId,
    id: idToUuid(ticket.id),
    propertyId: idToUuid(ticket.propertyId),
    roomId: uuidOf(roomId),
    block: block?.kind ?? ('none' as const),
    blockFrom: block?.from ?? null,
    blockUntil: block?.until ?? null,
    photoIds: photoIds.map(idToUuid),
    reportedBy: uuidOf(reportedBy),
    reservationId: uuidOf(reservationId),
    taskId: uuidOf(taskId),
    follows: uuidOf(follows),
    assigneeId: uuidOf(assigneeId),
    closedBy: uuidOf(closedBy),
  };
  await ctx.tx
    .insert(tickets)
    .values(values)
    .onConflictDoUpdate({ target: [tickets.tenantId, tickets.id], set: values });
  const { version, status } = ticket;
  await ctx.tx.insert(steps).values({
    ...{ tenantId: ctx.tenantId, ticketId: values.id, version, status, at: ctx.now },
    ...{ by: uuidOf(step.by), note: step.note },
  });
}

/** What was done with a ticket, oldest first. */
export async function stepsOf({ tx }: Pick<Ctx, 'tx'>, id: Id<'mtk'>): Promise<Step[]> {
  const found = await tx
    .select()
    .from(steps)
    .where(eq(steps.ticketId, idToUuid(id)))
    .orderBy(asc(steps.version));
  return found.map(({ version, status, at, by, note }) => ({
    ...{ version, status, at, note },
    by: by === null ? null : idFromUuid('usr', by),
  }));
}

type Named = 'rom' | 'usr' | 'rsv' | 'hkt' | 'mtk';

function uuidOf<P extends Named>(id: Id<P> | null): string | null {
  return id === null ? null : idToUuid(id);
}

function ticketFrom(row: typeof tickets.$inferSelect): Ticket {
  const { tenantId: _, block, blockFrom, blockUntil, ...rest } = row;
  const idOf = <P extends Named>(prefix: P, uuid: string | null) =>
    uuid === null ? null : idFromUuid(prefix, uuid);
  return {
    ...rest,
    id: idFromUuid('mtk', row.id),
    propertyId: idFromUuid('pro', row.propertyId),
    roomId: idOf('rom', row.roomId),
    block:
      block === 'none'
        ? null
        : { kind: block as BlockKind, from: blockFrom as LocalDate, until: blockUntil as LocalDate },
    photoIds: row.photoIds.map(uuid => idFromUuid('fil', uuid)),
    reportedBy: idOf('usr', row.reportedBy),
    reservationId: idOf('rsv', row.reservationId),
    taskId: idOf('hkt', row.taskId),
    follows: idOf('mtk', row.follows),
    dueOn: row.dueOn as LocalDate | null,
    assigneeId: idOf('usr', row.assigneeId),
    closedBy: idOf('usr', row.closedBy),
    currency: row.currency as CurrencyCode,
  };
}
