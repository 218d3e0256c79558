import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { errors } from '../errors.ts';
import { dueAfter } from '../model.ts';
import { findRoom, listRooms } from '../queries/houses.ts';
import { lockDuePlans, lockPlan, type Plan, savePlan } from '../queries/plans.ts';
import { knownHouse, openTicket } from './open-ticket.ts';

/** Plans handled in one transaction: one for every room of a large house makes hundreds of tickets. */
const BATCH = 5;

/** Work that shall come round. */
export type NewPlan = Omit<Plan, 'id' | 'ended' | 'version'>;

/** Plans work that comes round by itself. */
export async function createPlan(ctx: Ctx, wanted: NewPlan): Promise<Plan> {
  await knownHouse(ctx, wanted.propertyId);
  if (wanted.roomId !== null) {
    const room = await findRoom(ctx, wanted.roomId);
    if (room?.propertyId !== wanted.propertyId) throw coreErrors.NOT_FOUND({ entity: 'Room' });
  }
  const plan: Plan = { ...wanted, id: uuid7(), ended: false, version: 1 };
  await savePlan(ctx, plan);
  return plan;
}

/** It comes round no more; tickets that it opened stay. */
export async function endPlan(ctx: Ctx, id: string): Promise<Plan> {
  const plan = await lockPlan(ctx, id);
  if (plan === undefined) throw coreErrors.NOT_FOUND({ entity: 'Plan' });
  if (plan.ended) throw errors.PLAN_ENDED();
  const ended = { ...plan, ended: true, version: plan.version + 1 };
  await savePlan(ctx, ended);
  return ended;
}

/** Opens the tickets of plans that are due, once however many days were missed; the value is how many plans that were. */
export async function openDueOrders(ctx: Ctx): Promise<Accepted<number>> {
  const due = await lockDuePlans(ctx, BATCH);
  const events: unknown[] = [];
  for (const plan of due) {
    const { today } = await knownHouse(ctx, plan.propertyId);
    const { propertyId, category, severity, title, id: planId, nextDue: dueOn } = plan;
    const order = { propertyId, category, severity, title, planId, dueOn };
    const rest = { description: null, block: null, photoIds: [] };
    for (const place of await placesOf(ctx, plan, today))
      events.push(...(await openTicket(ctx, { ...order, ...rest, ...place }, null)).events);
    const nextDue = dueAfter(plan.nextDue, plan.everyDays, today);
    await savePlan(ctx, { ...plan, nextDue, version: plan.version + 1 });
  }
  return accepted(due.length, events);
}

/** Where the work is: rooms that are closed for good need none. */
async function placesOf(ctx: Ctx, plan: Plan, today: string): Promise<Pick<Plan, 'roomId' | 'area'>[]> {
  const { roomId, area, everyRoom, propertyId } = plan;
  if (area !== null) return [{ roomId: null, area }];
  const rooms = await listRooms(ctx, propertyId);
  const isOpen = (id: Id<'rom'>, closedFrom: string | null) =>
    (everyRoom || id === roomId) && (closedFrom === null || closedFrom > today);
  return rooms
    .filter(({ id, closedFrom }) => isOpen(id, closedFrom))
    .map(({ id }) => ({ roomId: id, area: null }));
}
