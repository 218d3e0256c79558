import { defineEvent } from '@melmastoon/catalog/define-event';
import { count } from '@melmastoon/catalog/hotel-parts';
import { idText, instant, localDate } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** Where somebody works during a shift. */
export const departments = [
  'front_desk',
  'housekeeping',
  'maintenance',
  'kitchen',
  'security',
  'management',
] as const;

/** Who ended a shift; `system` when nobody clocked out and the day was closed over it (R2). */
export const shiftEndings = ['operator', 'manager', 'system'] as const;

const shift = {
  shiftId: idText('shf'),
  propertyId: idText('pro'),
  operatorId: idText('usr'),
  department: z.enum(departments),
  /** The hotel day the shift started on; it may run past midnight. */
  businessDate: localDate,
  openedAt: instant,
};

/** Somebody is at work: tasks, cash and keys can be his from now on. */
export const ShiftOpened = defineEvent({
  subject: 'melmastoon.staff.shift.opened.v1',
  summary: 'a shift was clocked in',
  retention: 'warm',
  payload: z.strictObject({
    ...shift,
    /** The device he clocked in on; null when a manager entered it later. */
    deviceId: idText('dev').nullable(),
    plannedUntil: instant.nullable(),
  }),
  aggregateId: p => p.shiftId,
  idempotencyKey: p => `${p.shiftId}:opened`,
});

/** Somebody went home; what he held goes to the next shift, and the day may be closed. */
export const ShiftClosed = defineEvent({
  subject: 'melmastoon.staff.shift.closed.v1',
  summary: 'a shift was clocked out',
  retention: 'warm',
  payload: z
    .strictObject({
      ...shift,
      closedAt: instant,
      closedBy: z.enum(shiftEndings),
      breakMinutes: count,
      /** Without breaks. */
      workedMinutes: count,
      handedOverTo: idText('shf').nullable(),
    })
    .refine(isWithinShift, 'works longer than the shift is open'),
  aggregateId: p => p.shiftId,
  idempotencyKey: p => `${p.shiftId}:closed`,
});

/** Every event of staff-service. */
export const events = [ShiftOpened, ShiftClosed] as const;

type Worked = { openedAt: string; closedAt: string; breakMinutes: number; workedMinutes: number };

function isWithinShift({ openedAt, closedAt, breakMinutes, workedMinutes }: Worked): boolean {
  const open = Math.ceil((Date.parse(closedAt) - Date.parse(openedAt)) / 60_000);
  return workedMinutes + breakMinutes <= open;
}
