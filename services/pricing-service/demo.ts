import { accepted } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import { type Actor, type Ctx, tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import { changeCalendar } from './commands/calendar.ts';
import { putCharge, putPromo } from './commands/charges.ts';
import { createPlan, publishPlan } from './commands/plans.ts';
import { createPolicy } from './commands/policies.ts';
import type { CalendarChange, Fee, NewPolicy, PlanValues } from './contract/resources.ts';
import { demoCharges, derivations, nightlyPrices, text, weekend } from './demo-prices.ts';
import type { Property, RoomType } from './model/quote.ts';
import { rememberProperty, rememberRoomType } from './queries/houses.ts';
import { listPlans } from './queries/plans.ts';
import { moneyIn } from './quote-view.ts';

/** A house of the demo. `nightly` is the price of an ordinary night in minor units. */
export type SeedHouse = {
  tenantId: TenantId;
  property: Property;
  roomTypes: readonly (RoomType & { nightly: bigint })[];
  /** On the property's calendar; prices go from 100 days before to a year and more after it. */
  today: LocalDate;
};

/** The plans of a house of the demo, for whoever books on them. */
export type SeededPlans = { flexible: Id<'rpl'>; saver: Id<'rpl'>; halfBoard: Id<'rpl'> };

const seeder: Actor = { type: 'system', id: 'seed' };

/**
 * Gives a house policies, taxes, three plans, prices and a promo code; leaves a house that has plans as it is. What
 * property-service tells of the house may arrive before or after: version 0 gives way to every event.
 */
export function seedPricing(db: Database, house: SeedHouse): Promise<SeededPlans> {
  return tenantTransaction(db, { tenantId: house.tenantId, actor: seeder }, async ctx => {
    const { property, roomTypes } = house;
    await rememberProperty(ctx, property, 0);
    for (const type of roomTypes) await rememberRoomType(ctx, { ...type, propertyId: property.id }, 0);
    const known = await listPlans(ctx.tx, property.id);
    if (known.length > 0) return named(known.map(({ id }) => id));
    const values = await planValuesFor(ctx, house);
    const events: unknown[] = [];
    const flexible = await createPlan(ctx, values.flexible);
    events.push(...(await publishPlan(ctx, { id: flexible.id, version: 1 })).events);
    const derived = [];
    for (const one of [values.saver, values.halfBoard]) {
      const from = { ...one.derivation, fromPlanId: flexible.id };
      const plan = await createPlan(ctx, { ...one, derivation: from });
      events.push(...(await publishPlan(ctx, { id: plan.id, version: 1 })).events);
      derived.push(plan.id);
    }
    for (const change of calendarOf(house))
      events.push(...(await changeCalendar(ctx, { planId: flexible.id, change, cause: 'import' })).events);
    return accepted(named([flexible.id, ...derived]), events);
  });
}

function named([flexible, saver, halfBoard]: Id<'rpl'>[]): SeededPlans {
  if (flexible === undefined || saver === undefined || halfBoard === undefined)
    throw new Error('this house has plans, but not those of the demo');
  return { flexible, saver, halfBoard };
}

const none: Fee = { kind: 'none' };
const firstNight: Fee = { kind: 'nights', nights: 1 };
const all: Fee = { kind: 'percent', basisPoints: 10_000 };

async function planValuesFor(ctx: Ctx, { property, roomTypes, today }: SeedHouse) {
  const { id: propertyId } = property;
  const make = async (
    policy: DistributiveOmit<NewPolicy, 'propertyId' | 'name'>,
    ...name: Parameters<typeof text>
  ) => (await createPolicy(ctx, { ...policy, propertyId, name: text(...name) } as NewPolicy)).id;
  const free = { steps: [{ hoursBefore: 48, fee: none }], lateFee: firstNight, changeFee: none };
  const strict = { steps: [], lateFee: all, changeFee: firstNight, earlyDepartureFee: all };
  const cancellation = await make(
    { kind: 'cancellation', terms: { ...free, earlyDepartureFee: none } },
    'Free until 48 hours before',
    'رایگان تا ۴۸ ساعت پیش',
    'تر ۴۸ ساعته مخکې وړیا',
  );
  const nonRefundable = await make(
    { kind: 'cancellation', terms: strict },
    'Not refundable',
    'بدون بازپرداخت',
    'بې له بېرته ورکړې',
  );
  const noShow = await make(
    { kind: 'no_show', terms: { fee: firstNight, keptUntil: '06:00' } },
    'First night',
    'شب نخست',
    'لومړۍ شپه',
  );
  const deposit = await make(
    { kind: 'deposit', terms: { deposit: { kind: 'percent', basisPoints: 3_000 } } },
    '30 % ahead',
    '۳۰٪ پیش‌پرداخت',
    '۳۰٪ مخکې ورکړه',
  );
  await seedCharges(ctx, property, addDays(today, -400));
  const flexible: PlanValues = {
    propertyId,
    name: text('Flexible with breakfast', 'انعطاف‌پذیر با صبحانه', 'د بدلون وړ، له ناشتې سره'),
    roomTypeIds: roomTypes.map(({ id }) => id),
    board: 'breakfast',
    guarantee: 'cash_on_arrival',
    refundable: true,
    policies: { cancellationPolicyId: cancellation, noShowPolicyId: noShow, depositPolicyId: null },
    sellFrom: addDays(today, -100),
    sellUntil: null,
    derivation: null,
    extraGuests: null,
  };
  return {
    flexible,
    saver: {
      ...flexible,
      name: text('Saver, not refundable', 'ارزان، بدون بازپرداخت', 'ارزانه، بې له بېرته ورکړې'),
      guarantee: 'prepaid' as const,
      refundable: false,
      policies: { ...flexible.policies, cancellationPolicyId: nonRefundable },
      derivation: derivations.saver,
    },
    halfBoard: {
      ...flexible,
      name: text('Half board', 'نیم‌پانسیون', 'له ناشتې او ماښامنۍ سره'),
      board: 'half_board' as const,
      guarantee: 'deposit' as const,
      policies: { ...flexible.policies, depositPolicyId: deposit },
      derivation: derivations.halfBoard,
    },
  };
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

async function seedCharges(ctx: Ctx, { id: propertyId, currency }: Property, validFrom: LocalDate) {
  for (const { code, values } of demoCharges(currency, validFrom))
    await putCharge(ctx, { propertyId, code }, { version: 0, values });
  await putPromo(
    ctx,
    { propertyId, code: 'SALAM10' },
    {
      version: 0,
      values: {
        name: text('Ten percent for early birds', 'ده درصد برای پیش‌گامان', 'لس سلنه د مخکې نیوونکو لپاره'),
        ...{ kind: 'percent', basisPoints: 1_000, minNights: 2, ratePlanIds: null, mostUses: null },
        ...{ stayFrom: validFrom, stayUntil: null, bookFrom: validFrom, bookUntil: null },
      },
    },
  );
}

/** Ordinary nights, dearer weekends (Thursday and Friday), and weekends of next month from two nights on. */
function calendarOf({ property, roomTypes, today }: SeedHouse): CalendarChange[] {
  const json = moneyIn(property.currency);
  const whole = { from: addDays(today, -100), until: addDays(today, 430) };
  const prices = roomTypes.flatMap(({ id, nightly }) => {
    const price = nightlyPrices(nightly);
    return [
      { ...whole, roomTypeIds: [id], price: json(price.ordinary) },
      { ...whole, roomTypeIds: [id], weekdays: [...weekend], price: json(price.weekend) },
    ];
  });
  const ids = roomTypes.map(({ id }) => id);
  const next = { from: addDays(today, 30), until: addDays(today, 60) };
  return [...prices, { ...next, roomTypeIds: ids, weekdays: [4], restrictions: { minNights: 2 } }];
}
