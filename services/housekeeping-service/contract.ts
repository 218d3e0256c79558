import { defineEvent } from '@melmastoon/catalog/define-event';
import { count, version } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { isSameState, roomState, statusCauses } from './contract/room-state.ts';
import { ConsumptionCreated, PurchaseCreated, PurchaseFinished } from './contract/stock.ts';

export { ConsumptionCreated, PurchaseCreated, PurchaseFinished };

/** Work a room needs. */
export const taskKinds = [
  'departure_clean',
  'stayover_clean',
  'deep_clean',
  'linen_change',
  'turndown',
  'inspection',
] as const;

/** What made a task. */
export const taskCauses = ['check_out', 'room_move', 'schedule', 'maintenance_done', 'operator'] as const;

/** How a task ended; only `done` changes the condition of the room. */
export const taskOutcomes = ['done', 'refused_by_guest', 'not_needed'] as const;

const task = {
  taskId: idText('hkt'),
  propertyId: idText('pro'),
  roomId: idText('rom'),
  kind: z.enum(taskKinds),
  /** The stay it is for; null for work nobody's stay caused. */
  reservationId: idText('rsv').nullable(),
};

/** A room waits for somebody to clean or look at it. */
export const TaskCreated = defineEvent({
  subject: 'melmastoon.housekeeping.task.created.v1',
  summary: 'a task was generated, after a check-out or on schedule',
  retention: 'warm',
  payload: z.strictObject({
    ...task,
    cause: z.enum(taskCauses),
    businessDate: localDate,
    /** Before anything else: the next guest is near. */
    rush: z.boolean(),
    /** When the next guest may stand at the door; null: nobody is expected that day. */
    dueAt: instant.nullable(),
    estimatedMinutes: count.min(1),
    /** Open tasks of the room that it makes pointless: they are off the list, and nobody completes them. */
    replaces: z.array(idText('hkt')).optional(),
  }),
  aggregateId: p => p.taskId,
  idempotencyKey: p => `${p.taskId}:created`,
});

/** Somebody has the task on his list; a later assignment takes it from there. */
export const TaskAssigned = defineEvent({
  subject: 'melmastoon.housekeeping.task.assigned.v1',
  summary: 'a task went to a member of staff',
  retention: 'warm',
  payload: z.strictObject({
    ...task,
    businessDate: localDate,
    assigneeId: idText('usr'),
    previousAssigneeId: idText('usr').nullable(),
    shiftId: idText('shf').nullable(),
  }),
  aggregateId: p => p.taskId,
  idempotencyKey: (p, { aggregateVersion }) => `${p.taskId}:assigned:${aggregateVersion}`,
});

/** A task is off the list; what the room is like now says `room.status_changed`. */
export const TaskCompleted = defineEvent({
  subject: 'melmastoon.housekeeping.task.completed.v1',
  summary: 'a room turnover finished',
  retention: 'warm',
  payload: z
    .strictObject({
      ...task,
      businessDate: localDate,
      outcome: z.enum(taskOutcomes),
      completedBy: idText('usr'),
      startedAt: instant,
      completedAt: instant,
      /** What was found broken; null when nothing was. */
      ticketId: idText('mtk').nullable(),
    })
    .refine(
      ({ startedAt, completedAt }) => Date.parse(startedAt) <= Date.parse(completedAt),
      'ended before it started',
    ),
  aggregateId: p => p.taskId,
  idempotencyKey: p => `${p.taskId}:completed`,
});

/** A room is other than it was: on the board, in the tape chart and for the desk that looks for a ready room (R26). */
export const RoomStatusChanged = defineEvent({
  subject: 'melmastoon.housekeeping.room.status_changed.v1',
  summary:
    'a room moved between clean, dirty, out of order and out of service, or between vacant and occupied',
  retention: 'warm',
  payload: z
    .strictObject({
      // Not the room's id: property-service counts the versions of that one, and two counters under one key would clash.
      roomStatusId: idText('rms'),
      propertyId: idText('pro'),
      roomId: idText('rom'),
      statusVersion: version,
      businessDate: localDate,
      from: roomState,
      to: roomState,
      cause: z.enum(statusCauses),
      reservationId: idText('rsv').nullable(),
      taskId: idText('hkt').nullable(),
    })
    .refine(({ from, to }) => !isSameState(from, to), 'nothing changed'),
  aggregateId: p => p.roomStatusId,
  idempotencyKey: p => `${p.roomId}:status:${p.statusVersion}`,
});

/** Every event of housekeeping-service. */
export const events = [
  TaskCreated,
  TaskAssigned,
  TaskCompleted,
  RoomStatusChanged,
  ConsumptionCreated,
  PurchaseCreated,
  PurchaseFinished,
] as const;
