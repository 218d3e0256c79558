import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { TaskCreated } from '../contract.ts';
import { replacedByDeparture, type TaskKind } from '../model/task.ts';
import { planFor } from '../queries/houses.ts';
import type { Room } from '../queries/rooms.ts';
import { nextGuestIn } from '../queries/stays.ts';
import { openTasksOf, saveTask, type Task } from '../queries/tasks.ts';

/** A piece of work that is wanted. */
export type NewTask = {
  readonly kind: TaskKind;
  readonly cause: Task['cause'];
  readonly businessDate: LocalDate;
  readonly reservationId?: Id<'rsv'> | null;
  readonly rush?: boolean;
  readonly note?: string | null;
};

/** The task, and what others hear; undefined when the room waits for that kind of work already. */
export type Created = { readonly task: Task; readonly events: readonly PendingEvent[] };

/**
 * Puts work on the list, once per room and kind while it is open. Cleaning after a departure takes smaller work off the
 * list, and is urgent when the next guest comes today. The caller has the room's lock.
 */
export async function createTask(ctx: Ctx, room: Room, wanted: NewTask): Promise<Created | undefined> {
  const open = await openTasksOf(ctx, room.id);
  if (open.some(({ kind }) => kind === wanted.kind)) return undefined;
  const task = await newTask(ctx, room, wanted);
  saveTask(ctx, task);
  const pointless =
    wanted.kind === 'departure_clean' ? open.filter(({ kind }) => replacedByDeparture.includes(kind)) : [];
  for (const one of pointless) takeOff(ctx, one, task.id);
  return { task, events: [createdEvent(task, pointless)] };
}

/** Takes a task off the list that nobody needs any more; nobody has done it, so nothing is said of it by itself. */
export function takeOff(ctx: Ctx, task: Task, replacedBy: Id<'hkt'> | null): void {
  saveTask(ctx, {
    ...task,
    status: 'cancelled',
    outcome: 'not_needed',
    completedAt: ctx.now,
    replacedBy,
    version: task.version + 1,
  });
}

async function newTask(ctx: Ctx, room: Room, wanted: NewTask): Promise<Task> {
  const { kind, cause, businessDate, reservationId = null, rush = false, note = null } = wanted;
  const [{ estimatedMinutes, items }, guest] = await Promise.all([
    planFor(ctx, { propertyId: room.propertyId, kind }),
    room.state.occupancy === 'vacant' ? nextGuestIn(ctx, room.id) : undefined,
  ]);
  const isAwaited = guest !== undefined && guest.arrival <= businessDate;
  return {
    ...{ id: ctx.newId('hkt'), propertyId: room.propertyId, roomId: room.id, kind, cause, reservationId },
    businessDate,
    status: 'created',
    rush: rush || isAwaited,
    dueAt: isAwaited ? guest.keyFrom : null,
    estimatedMinutes,
    assigneeId: null,
    checklist: items.map(item => ({ item, done: false })),
    note,
    ...{ startedAt: null, completedAt: null, completedBy: null, outcome: null, ticketId: null },
    ...{ inspection: null, inspectedBy: null, replacedBy: null },
    version: 1,
    createdAt: ctx.now,
  };
}

function createdEvent(task: Task, pointless: readonly Task[]): PendingEvent {
  const { id: taskId, propertyId, roomId, kind, reservationId, cause, businessDate, rush, dueAt } = task;
  return TaskCreated.from(
    {
      ...{ taskId, propertyId, roomId, kind, reservationId, cause, businessDate, rush },
      dueAt: dueAt?.toISOString() ?? null,
      estimatedMinutes: task.estimatedMinutes,
      ...(pointless.length === 0 ? {} : { replaces: pointless.map(({ id }) => id) }),
    },
    { aggregateVersion: task.version },
  );
}
