import { and, asc, eq, inArray, type SQL } from '@ghasi/db/drizzle';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { taskCauses } from '../contract.ts';
import type { Checklist, TaskKind, TaskOutcome, TaskStatus } from '../model/task.ts';
import { tasks } from '../tables.ts';

/** A piece of work in a room. */
export type Task = {
  readonly id: Id<'hkt'>;
  readonly propertyId: Id<'pro'>;
  readonly roomId: Id<'rom'>;
  readonly kind: TaskKind;
  readonly cause: (typeof taskCauses)[number];
  readonly reservationId: Id<'rsv'> | null;
  readonly businessDate: LocalDate;
  readonly status: TaskStatus;
  readonly rush: boolean;
  readonly dueAt: Date | null;
  readonly estimatedMinutes: number;
  readonly assigneeId: Id<'usr'> | null;
  readonly checklist: Checklist;
  readonly note: string | null;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly completedBy: Id<'usr'> | null;
  readonly outcome: TaskOutcome | null;
  readonly ticketId: Id<'mtk'> | null;
  readonly inspection: 'passed' | 'failed' | null;
  readonly inspectedBy: Id<'usr'> | null;
  readonly replacedBy: Id<'hkt'> | null;
  readonly version: number;
  readonly createdAt: Date;
};

const openStatuses: TaskStatus[] = ['created', 'assigned', 'started'];

/** One task. */
export async function findTask(ctx: Pick<Ctx, 'tx'>, id: Id<'hkt'>): Promise<Task | undefined> {
  return (await select(ctx, eq(tasks.id, idToUuid(id))))[0];
}

/** The open tasks of a room. */
export function openTasksOf(ctx: Pick<Ctx, 'tx'>, roomId: Id<'rom'>): Promise<Task[]> {
  return select(ctx, and(eq(tasks.roomId, idToUuid(roomId)), inArray(tasks.status, openStatuses)) as SQL);
}

/** Which tasks of a house to list. */
export type TaskFilter = {
  propertyId: Id<'pro'>;
  businessDate?: string | undefined;
  status?: 'open' | TaskStatus | undefined;
  assigneeId?: Id<'usr'> | undefined;
  roomId?: Id<'rom'> | undefined;
};

/** Tasks of a house, the most urgent ones first; at most a thousand. */
export function listTasks(ctx: Pick<Ctx, 'tx'>, filter: TaskFilter): Promise<Task[]> {
  const { propertyId, businessDate, status, assigneeId, roomId } = filter;
  const which = and(
    eq(tasks.propertyId, idToUuid(propertyId)),
    businessDate === undefined ? undefined : eq(tasks.businessDate, businessDate),
    status === undefined ? undefined : inArray(tasks.status, status === 'open' ? openStatuses : [status]),
    assigneeId === undefined ? undefined : eq(tasks.assigneeId, idToUuid(assigneeId)),
    roomId === undefined ? undefined : eq(tasks.roomId, idToUuid(roomId)),
  );
  return select(ctx, which as SQL, 1_000);
}

/** Writes a task down as it is now; a new one too. */
export function saveTask(ctx: Ctx, task: Task): void {
  const values = {
    ...task,
    tenantId: ctx.tenantId,
    id: idToUuid(task.id),
    propertyId: idToUuid(task.propertyId),
    roomId: idToUuid(task.roomId),
    reservationId: uuidOf(task.reservationId),
    assigneeId: uuidOf(task.assigneeId),
    completedBy: uuidOf(task.completedBy),
    ticketId: uuidOf(task.ticketId),
    inspectedBy: uuidOf(task.inspectedBy),
    replacedBy: uuidOf(task.replacedBy),
  };
  ctx.write(
    ctx.tx
      .insert(tasks)
      .values(values)
      .onConflictDoUpdate({ target: [tasks.tenantId, tasks.id], set: values }),
  );
}

function uuidOf<P extends 'rsv' | 'usr' | 'mtk' | 'hkt'>(id: Id<P> | null): string | null {
  return id === null ? null : idToUuid(id);
}

async function select({ tx }: Pick<Ctx, 'tx'>, which: SQL, most = 1_000): Promise<Task[]> {
  const found = await tx
    .select()
    .from(tasks)
    .where(which)
    .orderBy(asc(tasks.businessDate), asc(tasks.dueAt), asc(tasks.id))
    .limit(most);
  return found.map(taskFrom);
}

function taskFrom({ tenantId: _, ...row }: typeof tasks.$inferSelect): Task {
  const idOf = <P extends 'rsv' | 'usr' | 'mtk' | 'hkt'>(prefix: P, uuid: string | null) =>
    uuid === null ? null : idFromUuid(prefix, uuid);
  return {
    ...row,
    id: idFromUuid('hkt', row.id),
    propertyId: idFromUuid('pro', row.propertyId),
    roomId: idFromUuid('rom', row.roomId),
    reservationId: idOf('rsv', row.reservationId),
    businessDate: row.businessDate as LocalDate,
    assigneeId: idOf('usr', row.assigneeId),
    completedBy: idOf('usr', row.completedBy),
    ticketId: idOf('mtk', row.ticketId),
    inspectedBy: idOf('usr', row.inspectedBy),
    replacedBy: idOf('hkt', row.replacedBy),
  };
}
