import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Id } from '@ghasi/domain-primitives/ids';
import {
  addDays,
  eachDay,
  type LocalDate,
  parseLocalDate,
  weekday,
} from '@ghasi/domain-primitives/local-date';
import type { CalendarChange, PlanView } from '../contract/resources.ts';
import { CalendarUpdated, type calendarCauses } from '../contract.ts';
import { errors } from '../errors.ts';
import { type Day, unrestricted } from '../model/restrictions.ts';
import { nextCalendarVersion, readCalendars, soldDays, type Window, writeDays } from '../queries/calendar.ts';
import { findPlans, lockPlan, plansDerivedFrom } from '../queries/plans.ts';
import { assertCurrency } from './policies.ts';

type Cause = (typeof calendarCauses)[number];

/**
 * Changes prices or restrictions of some dates. Plans derived from this one follow in the same transaction. The
 * plan's row is locked first, so changes of one calendar and the versions they get are in one order.
 */
export async function changeCalendar(
  ctx: Ctx,
  { planId, change, cause = 'operator' }: { planId: Id<'rpl'>; change: CalendarChange; cause?: Cause },
): Promise<Accepted<{ changed: number }>> {
  const plan = await lockPlan(ctx.tx, planId);
  if (plan === undefined) throw coreErrors.NOT_FOUND({ entity: 'Rate plan' });
  if (plan.status === 'archived')
    throw errors.PLAN_TRANSITION_REFUSED({ from: 'archived', to: 'sold again' });
  if (plan.derivation !== null && change.price !== undefined) throw errors.PRICE_IS_DERIVED();
  // A change of the base tells of this plan too: under its lock both are told in the order they happened.
  if (plan.derivation !== null) await lockPlan(ctx.tx, plan.derivation.fromPlanId);
  assertCurrency(plan, [change.price]);
  for (const roomTypeId of change.roomTypeIds)
    if (!plan.roomTypeIds.includes(roomTypeId)) throw errors.ROOM_TYPE_NOT_IN_PLAN({ roomTypeId });
  const window = { from: parseLocalDate(change.from), until: parseLocalDate(change.until) };
  const following = plan.derivation === null ? await plansDerivedFrom(ctx.tx, planId) : [];
  const before = await readSold(ctx, [plan, ...following], { roomTypes: change.roomTypeIds, window });
  const written = await readCalendars(ctx.tx, { plans: [planId], roomTypes: change.roomTypeIds, window });
  for (const roomType of change.roomTypeIds) {
    const days = changedDays(written.written(planId, roomType), change, window);
    if (days.length > 0) await writeDays(ctx, { plan: planId, roomType }, days);
  }
  const after = await readSold(ctx, [plan, ...following], { roomTypes: change.roomTypeIds, window });
  const events = await differences(ctx, { before, after, cause, following: new Set(following) });
  const changed = events.reduce((sum, { payload }) => sum + payload.dates.length, 0);
  return accepted({ changed }, events);
}

/** What changed for a plan whose prices follow from another when that link changed: all days from today on. */
export async function repriceDerived(
  ctx: Ctx,
  { before, after, window }: { before: PlanView; after: PlanView; window: Window },
) {
  const roomTypes = after.roomTypeIds;
  const [old, now] = [
    await readSold(ctx, [before], { roomTypes, window }),
    await readSold(ctx, [after], { roomTypes, window }),
  ];
  return differences(ctx, { before: old, after: now, cause: 'rule', following: new Set() });
}

type Sold = { plan: PlanView; roomType: Id<'rty'>; days: Map<LocalDate, Day> };

/** The days of plans as they are sold; in the order of plans and room types, which is the order of locks. */
export async function readSold(
  { tx }: Pick<Ctx, 'tx'>,
  plans: readonly PlanView[],
  { roomTypes, window }: { roomTypes: Id<'rty'>[]; window: Window },
): Promise<Sold[]> {
  const ids = plans.flatMap(({ id, derivation }) => [id, ...(derivation ? [derivation.fromPlanId] : [])]);
  const calendars = await readCalendars(tx, { plans: ids, roomTypes, window });
  return plans.flatMap(plan =>
    [...roomTypes]
      .filter(roomType => plan.roomTypeIds.includes(roomType))
      .sort()
      .map(roomType => ({ plan, roomType, days: soldDays(calendars, plan, roomType).days })),
  );
}

/** The calendar of a plan, for people: one entry for every day of the window. */
export async function readCalendar(
  ctx: Pick<Ctx, 'tx'>,
  { planId, roomTypeId, window }: { planId: Id<'rpl'>; roomTypeId: Id<'rty'>; window: Window },
): Promise<{ plan: PlanView; days: Day[] }> {
  const plan = (await findPlans(ctx.tx, [planId])).get(planId);
  if (plan === undefined) throw coreErrors.NOT_FOUND({ entity: 'Rate plan' });
  const [sold] = await readSold(ctx, [plan], { roomTypes: [roomTypeId], window });
  const empty = (date: LocalDate) => ({ date, price: null, restrictions: unrestricted });
  const days = [...eachDay(window.from, window.until)].map(date => sold?.days.get(date) ?? empty(date));
  return { plan, days };
}

function changedDays(known: Map<LocalDate, Day>, change: CalendarChange, window: Window): Day[] {
  const wanted = [...eachDay(window.from, window.until)].filter(
    date => change.weekdays?.includes(weekday(date)) ?? true,
  );
  return wanted.map(date => {
    const day = known.get(date) ?? { date, price: null, restrictions: unrestricted };
    const restrictions = { ...day.restrictions, ...definedOf(change.restrictions ?? {}) };
    if (restrictions.maxNights !== null && restrictions.minNights > restrictions.maxNights)
      throw errors.RESTRICTIONS_ALLOW_NO_STAY({ date });
    const price = change.price === undefined ? day.price : change.price && BigInt(change.price.amount);
    return { date, price, restrictions };
  });
}

/** Optional fields that are there. */
function definedOf<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

async function differences(
  ctx: Ctx,
  {
    before,
    after,
    cause,
    following,
  }: { before: Sold[]; after: Sold[]; cause: Cause; following: ReadonlySet<PlanView> },
) {
  const events = [];
  for (const [index, { plan, roomType, days }] of after.entries()) {
    const old = before[index]?.days ?? new Map<LocalDate, Day>();
    const dates = [...days.values()].filter(day => !isSameDay(old.get(day.date), day));
    if (dates.length === 0) continue;
    const { id, version } = await nextCalendarVersion(ctx, plan.id, roomType);
    const priced = (amount: bigint | null | undefined) =>
      amount == null ? null : { amount: amount.toString(), currency: plan.currency as 'AFN' };
    const payload = {
      calendarId: id,
      calendarVersion: version,
      ratePlanId: plan.id,
      propertyId: plan.propertyId,
      roomTypeId: roomType,
      cause: following.has(plan) ? ('rule' as const) : cause,
      dates: dates.map(({ date, price, restrictions }) => ({
        date,
        price: priced(price),
        previousPrice: priced(old.get(date)?.price),
        restrictions: sayable(restrictions),
      })),
    };
    events.push(CalendarUpdated.from(payload, { aggregateVersion: version }));
  }
  return events;
}

/** Two plans together may allow no stay at all; the event says so as a closed date. */
function sayable(restrictions: Day['restrictions']): Day['restrictions'] {
  const { minNights, maxNights } = restrictions;
  if (maxNights === null || minNights <= maxNights) return restrictions;
  return { ...restrictions, maxNights: minNights, closed: true };
}

function isSameDay(left: Day | undefined, right: Day): boolean {
  const known = left ?? { price: null, restrictions: unrestricted };
  const keys = Object.keys(unrestricted) as (keyof typeof unrestricted)[];
  return (
    known.price === right.price && keys.every(key => known.restrictions[key] === right.restrictions[key])
  );
}

/** Days from today on that one event can tell of. */
export function windowFrom(today: LocalDate, days: number): Window {
  return { from: today, until: addDays(today, days) };
}
