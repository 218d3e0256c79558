import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { TaskAssigned, TaskCompleted } from '../contract.ts';
import { errors } from '../errors.ts';
import { stateAfter, type Work } from '../model/room.ts';
import {
  isCleaning,
  isOpen,
  mayBecome,
  openItems,
  type TaskKind,
  type TaskOutcome,
  type TaskStatus,
  ticked,
  workOf,
} from '../model/task.ts';
import { type Room, saveDeepClean } from '../queries/rooms.ts';
import { findTask, saveTask, type Task } from '../queries/tasks.ts';
import { createTask } from './create-task.ts';
import { roomAtHand, setState } from './room-state.ts';

/** Work that somebody asks for. */
export type RequestTask = {
  readonly roomId: Id<'rom'>;
  readonly kind: TaskKind;
  readonly rush: boolean;
  readonly reservationId: Id<'rsv'> | null;
  readonly note: string | null;
};

/** Puts work on the list by hand; refused while the room waits for the same. */
export async function requestTask(ctx: Ctx, { roomId, ...wanted }: RequestTask): Promise<Accepted<Task>> {
  const { room, today } = await roomAtHand(ctx, roomId);
  const created = await createTask(ctx, room, { ...wanted, cause: 'operator', businessDate: today });
  if (created === undefined) throw errors.TASK_EXISTS();
  return accepted(created.task, created.events);
}

/** Gives a task to somebody, or to somebody else. */
export async function assignTask(
  ctx: Ctx,
  { id, assigneeId }: { id: Id<'hkt'>; assigneeId: Id<'usr'> },
): Promise<Accepted<Task>> {
  const { task } = await taskAtHand(ctx, id);
  assertNext(task, 'assigned');
  if (task.assigneeId === assigneeId && task.status === 'assigned') return accepted(task, []);
  const assigned = changed(ctx, task, { status: 'assigned', assigneeId });
  return accepted(assigned, [assignedEvent(assigned, task.assigneeId)]);
}

/** Somebody begins; a task that nobody had is his from now on. */
export async function startTask(
  ctx: Ctx,
  { id, by }: { id: Id<'hkt'>; by: Id<'usr'> },
): Promise<Accepted<Task>> {
  const { task } = await taskAtHand(ctx, id);
  if (task.status === 'started') return accepted(task, []);
  assertNext(task, 'started');
  const assigneeId = task.assigneeId ?? by;
  const started = changed(ctx, task, { status: 'started', assigneeId, startedAt: ctx.now });
  return accepted(started, task.assigneeId === null ? [assignedEvent(started, null)] : []);
}

/** Ticks the points that are done, by their places; the others are not done. */
export async function tickTask(
  ctx: Ctx,
  { id, done }: { id: Id<'hkt'>; done: readonly number[] },
): Promise<Task> {
  const { task } = await taskAtHand(ctx, id);
  if (!isOpen(task.status)) throw errors.TASK_ENDED({ status: task.status, to: 'ticked' });
  if (done.some(place => place >= task.checklist.length))
    throw errors.CHECKLIST_OTHER({ count: task.checklist.length });
  return changed(ctx, task, { checklist: ticked(task.checklist, done) });
}

/** How a task ended, by whose hand. */
export type CompleteTask = {
  readonly id: Id<'hkt'>;
  readonly by: Id<'usr'>;
  readonly outcome: TaskOutcome;
  /** What was found broken. */
  readonly ticketId: Id<'mtk'> | null;
  readonly note: string | null;
};

/** A task is off the list. Only work that was done changes the room, and only with its whole checklist. */
export async function completeTask(ctx: Ctx, end: CompleteTask): Promise<Accepted<Task>> {
  const { task, room, today } = await taskAtHand(ctx, end.id);
  assertNext(task, 'completed');
  const open = end.outcome === 'done' ? openItems(task.checklist) : [];
  if (open.length > 0) throw errors.CHECKLIST_INCOMPLETE({ items: open.join(', ') });
  const { outcome, ticketId, by } = end;
  const isPassed = task.kind === 'inspection' && outcome === 'done';
  const inspected = isPassed ? ({ inspection: 'passed', inspectedBy: by } as const) : {};
  const note = end.note ?? task.note;
  const ended = ending(ctx, task, { status: 'completed', outcome, by }, { ticketId, note, ...inspected });
  const work = outcome === 'done' ? workOf[task.kind] : null;
  if (outcome === 'done' && task.kind === 'deep_clean') saveDeepClean(ctx, room.id, today);
  const events = work === null ? [] : worked(ctx, { room, task, today, work });
  return accepted(ended, [completedEvent(ended, by), ...events]);
}

/** Somebody looked at finished cleaning, or does an inspection that is on the list. What fails is cleaned again. */
export async function inspectTask(
  ctx: Ctx,
  { id, by, passed, note }: { id: Id<'hkt'>; by: Id<'usr'>; passed: boolean; note: string | null },
): Promise<Accepted<Task>> {
  const { task, room, today } = await taskAtHand(ctx, id);
  const isInspection = task.kind === 'inspection' && isOpen(task.status);
  const isFinished = task.status === 'completed' && task.outcome === 'done' && isCleaning(task.kind);
  if (!isInspection && (!isFinished || task.inspection !== null)) throw errors.NOT_INSPECTABLE();
  const found = { inspection: passed ? 'passed' : 'failed', inspectedBy: by } as const;
  const seen = isInspection
    ? ending(ctx, task, { status: 'completed', outcome: 'done', by }, { ...found, note })
    : changed(ctx, task, { ...found, note: note ?? task.note });
  const told = isInspection ? [completedEvent(seen, by)] : [];
  const work = passed ? 'passed' : 'failed';
  const events = [...told, ...worked(ctx, { room, task, today, work })];
  if (passed) return accepted(seen, events);
  const kind = isInspection ? 'departure_clean' : task.kind;
  const again = await createTask(ctx, room, {
    ...{ kind, cause: 'operator', businessDate: today, reservationId: task.reservationId, rush: true, note },
  });
  return accepted(seen, [...events, ...(again?.events ?? [])]);
}

/** Takes a task off the list that nobody needs, by a person's word. */
export async function cancelTask(
  ctx: Ctx,
  { id, by, note }: { id: Id<'hkt'>; by: Id<'usr'>; note: string | null },
): Promise<Accepted<Task>> {
  const { task } = await taskAtHand(ctx, id);
  assertNext(task, 'cancelled');
  const end = { status: 'cancelled', outcome: 'not_needed', by } as const;
  const cancelled = ending(ctx, task, end, { note: note ?? task.note });
  return accepted(cancelled, [completedEvent(cancelled, by)]);
}

/** A task with its room, in the hands of this transaction alone: everything in a room happens under the room's lock. */
async function taskAtHand(ctx: Ctx, id: Id<'hkt'>): Promise<{ task: Task; room: Room; today: LocalDate }> {
  const found = await findTask(ctx, id);
  if (found === undefined) throw coreErrors.NOT_FOUND({ entity: 'Task' });
  const { room, today } = await roomAtHand(ctx, found.roomId);
  return { task: (await findTask(ctx, id)) as Task, room, today };
}

function assertNext(task: Task, to: TaskStatus): void {
  if (!mayBecome(task.status, to)) throw errors.TASK_ENDED({ status: task.status, to });
}

function changed(ctx: Ctx, task: Task, change: Partial<Task>): Task {
  const next = { ...task, ...change, version: task.version + 1 };
  saveTask(ctx, next);
  return next;
}

type End = { status: 'completed' | 'cancelled'; outcome: TaskOutcome; by: Id<'usr'> };

function ending(ctx: Ctx, task: Task, { status, outcome, by }: End, more: Partial<Task>): Task {
  const startedAt = task.startedAt ?? ctx.now; // a guest who wants no service is work of no time
  const completedAt = startedAt > ctx.now ? startedAt : ctx.now; // two processes, two clocks
  return changed(ctx, task, { ...more, status, outcome, startedAt, completedAt, completedBy: by });
}

type Done = { room: Room; task: Task; today: LocalDate; work: Work };

function worked(ctx: Ctx, { room, task, today, work }: Done): readonly PendingEvent[] {
  const state = stateAfter(room.state, { kind: 'worked', work });
  if (state === null) throw errors.ROOM_NOT_CLEAN({ condition: room.state.condition });
  const cause = work === 'cleaned' ? 'task_completed' : 'inspection';
  const why = { cause, businessDate: today, reservationId: task.reservationId, taskId: task.id } as const;
  return setState(ctx, room, state, why).events;
}

function assignedEvent(task: Task, previousAssigneeId: Id<'usr'> | null): PendingEvent {
  const assigneeId = task.assigneeId as Id<'usr'>;
  return TaskAssigned.from(
    { ...aboutTask(task), assigneeId, previousAssigneeId, shiftId: null },
    { aggregateVersion: task.version },
  );
}

function completedEvent(task: Task, completedBy: Id<'usr'>): PendingEvent {
  const [startedAt, completedAt] = [task.startedAt as Date, task.completedAt as Date];
  return TaskCompleted.from(
    {
      ...aboutTask(task),
      outcome: task.outcome as TaskOutcome,
      completedBy,
      startedAt: startedAt.toISOString(),
      completedAt: completedAt.toISOString(),
      ticketId: task.ticketId,
    },
    { aggregateVersion: task.version },
  );
}

function aboutTask({ id: taskId, propertyId, roomId, kind, reservationId, businessDate }: Task) {
  return { taskId, propertyId, roomId, kind, reservationId, businessDate };
}
