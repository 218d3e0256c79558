import { count, isOncePer } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, line, localDate } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { taskCauses, taskKinds, taskOutcomes } from '../contract.ts';
import { conditions, notReadyReasons, occupancies, roomState } from './room-state.ts';

const note = line(500).nullable().default(null);

/** Where a task can be; `open` asks for everything that is still to do. */
export const taskStates = ['created', 'assigned', 'started', 'completed', 'cancelled'] as const;

/** A task as staff sees it. */
export const taskView = z.strictObject({
  id: idText('hkt'),
  propertyId: idText('pro'),
  roomId: idText('rom'),
  kind: z.enum(taskKinds),
  cause: z.enum(taskCauses),
  reservationId: idText('rsv').nullable(),
  businessDate: localDate,
  status: z.enum(taskStates),
  rush: z.boolean(),
  dueAt: instant.nullable(),
  estimatedMinutes: count,
  assigneeId: idText('usr').nullable(),
  checklist: z.array(z.strictObject({ item: z.string(), done: z.boolean() })),
  note: z.string().nullable(),
  startedAt: instant.nullable(),
  completedAt: instant.nullable(),
  completedBy: idText('usr').nullable(),
  outcome: z.enum(taskOutcomes).nullable(),
  ticketId: idText('mtk').nullable(),
  inspection: z.enum(['passed', 'failed']).nullable(),
  inspectedBy: idText('usr').nullable(),
  replacedBy: idText('hkt').nullable(),
  createdAt: instant,
});
export type TaskView = z.output<typeof taskView>;

/** Work to put on the list. */
export const newTask = z.strictObject({
  roomId: idText('rom'),
  kind: z.enum(taskKinds),
  rush: z.boolean().default(false),
  reservationId: idText('rsv').nullable().default(null),
  note,
});

/** Which tasks to list. */
export const taskQuery = z.strictObject({
  propertyId: idText('pro'),
  businessDate: localDate.optional(),
  status: z.enum(['open', ...taskStates]).optional(),
  assigneeId: idText('usr').optional(),
  roomId: idText('rom').optional(),
});

/** Who gets a task. */
export const assignment = z.strictObject({ assigneeId: idText('usr') });

/** The points of the checklist that are done, by their places from 0. */
export const ticks = z.strictObject({
  done: z.array(z.int().min(0).max(50)).max(51).refine(isOncePer(String), 'names a point twice'),
});

/** How a task ended. */
export const completion = z.strictObject({
  outcome: z.enum(taskOutcomes),
  ticketId: idText('mtk').nullable().default(null),
  note,
});

/** What an inspection found. */
export const inspection = z.strictObject({ passed: z.boolean(), note });

/** Why a task is not needed. */
export const cancellation = z.strictObject({ note });

const view = { occupancy: z.enum(occupancies), persons: z.int().min(0).max(60).nullable() };

/** A disagreement between desk and housekeeping (R26). */
export const discrepancyView = z.strictObject({
  id: z.uuid(),
  propertyId: idText('pro'),
  roomId: idText('rom'),
  /** Skip: the desk has a guest in an empty room. Sleep: somebody is in a room that is empty for the desk. */
  kind: z.enum(['skip', 'sleep', 'person_count']),
  frontOffice: z.strictObject(view),
  observed: z.strictObject(view),
  reservationId: idText('rsv').nullable(),
  businessDate: localDate,
  foundAt: instant,
  foundBy: idText('usr').nullable(),
  ending: z.string().nullable(),
  resolvedBy: idText('usr').nullable(),
  resolvedAt: instant.nullable(),
  note: z.string().nullable(),
});

/** What housekeeping saw in a room; persons are not counted in an empty one. */
export const observation = z
  .strictObject({ occupancy: view.occupancy, persons: view.persons.default(null) })
  .refine(
    ({ occupancy, persons }) => (occupancy === 'vacant' ? (persons ?? 0) === 0 : persons !== 0),
    'nobody is in a vacant room, and somebody in an occupied one',
  );

/** What a person decides about a discrepancy. */
export const decision = z.strictObject({
  decision: z.enum(['observation_wrong', 'guest_left', 'room_cleared', 'count_accepted']),
  note,
});

/** A room on the board. */
export const boardRoom = z.strictObject({
  roomId: idText('rom'),
  roomTypeId: idText('rty').nullable(),
  number: z.string().nullable(),
  floor: z.string().nullable(),
  ...roomState.shape,
  statusVersion: count,
  ready: z.boolean(),
  notReady: z.enum(notReadyReasons).nullable(),
  /** Who is in it by the word of the desk, until when. */
  guests: z.array(z.strictObject({ reservationId: idText('rsv'), persons: count, departure: localDate })),
  /** The next guest, and when he may stand at the door. */
  next: z
    .strictObject({ reservationId: idText('rsv'), arrival: localDate, expectedAt: instant.nullable() })
    .nullable(),
  observed: z.strictObject({ ...view, at: instant }).nullable(),
  discrepancyId: z.uuid().nullable(),
  tasks: z.array(
    taskView.pick({ id: true, kind: true, status: true, assigneeId: true, rush: true, dueAt: true }),
  ),
});

/** All rooms of a house on its hotel day. */
export const board = z.strictObject({
  propertyId: idText('pro'),
  businessDate: localDate,
  rooms: z.array(boardRoom),
});

/** Rooms, and what they are like. */
export const conditionChange = z.strictObject({
  roomIds: z.array(idText('rom')).min(1).max(200).refine(isOncePer(String), 'names a room twice'),
  condition: z.enum(conditions),
});

/** Rooms after a change. */
export const statesView = z.strictObject({
  rooms: z.array(z.strictObject({ roomId: idText('rom'), ...roomState.shape, statusVersion: count })),
});

/** How a kind of work is done. */
export const plan = z.strictObject({
  estimatedMinutes: z.int().min(1).max(1_440),
  items: z.array(line(120)).max(30).refine(isOncePer(String), 'has a point twice'),
});

/** How a house wants its rooms kept. */
export const habits = z.strictObject({
  /** Rooms of guests who stay are cleaned every day. */
  stayoverService: z.boolean(),
  /** In days; null: only when somebody asks. */
  deepCleanEvery: z.int().min(7).max(400).nullable(),
});

/** The same with the plan of every kind of work. */
export const houseView = z.strictObject({
  propertyId: idText('pro'),
  businessDate: localDate.nullable(),
  ...habits.shape,
  plans: z.record(z.enum(taskKinds), plan),
});
