import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Database } from '@ghasi/db/database';
import { and, eq } from '@ghasi/db/drizzle';
import { insertAll } from '@ghasi/db/insert-all';
import { type Actor, type Ctx, tenantRead, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { minutes } from '@ghasi/domain-primitives/duration';
import { type Id, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import type { Stay } from '@ghasi/domain-primitives/stay';
import { policiesOf } from './commands/quotes.ts';
import type { PlanView } from './contract/resources.ts';
import type { SeededPlans } from './demo.ts';
import type { DemoPlan } from './demo-prices.ts';
import { type Property, QUOTE_TTL_MS, type QuotedNight, totalOf } from './model/quote.ts';
import { remainderIndex } from './model/split.ts';
import { listCharges } from './queries/charges.ts';
import { findPlans } from './queries/plans.ts';
import { findPolicies } from './queries/policies.ts';
import { quoteNights, quoteRooms, quotes, quoteUses } from './tables.ts';

/** A quote that a booking of the demo was made with. */
export type SeedQuote = {
  readonly quoteId: Id<'quo'>;
  readonly reservationId: Id<'rsv'>;
  readonly plan: DemoPlan;
  readonly bookedAt: Date;
  /** The booking was cancelled. */
  readonly isGivenBack: boolean;
  readonly stay: Stay;
  readonly rooms: readonly {
    readonly roomTypeId: Id<'rty'>;
    readonly adults: number;
    readonly children: number;
    readonly nights: readonly QuotedNight[];
  }[];
};

/** A house whose plans were seeded. */
export type QuotedHouse = { tenantId: TenantId; property: Property; plans: SeededPlans };

const seeder: Actor = { type: 'system', id: 'seed' };

/** The seeded plans as they are sold, for whoever books on them. */
export function readPlans(
  db: Database,
  { tenantId, plans }: Pick<QuotedHouse, 'tenantId' | 'plans'>,
): Promise<Record<DemoPlan, PlanView>> {
  return tenantRead(db, { tenantId, actor: seeder }, ({ tx }) => plansByName({ tx }, plans));
}

/** Freezes what the stays of a house were sold for; leaves a house that has used quotes as it is. */
export function seedQuotes(
  db: Database,
  house: QuotedHouse,
  used: () => readonly SeedQuote[],
): Promise<void> {
  const { tenantId, property } = house;
  return tenantTransaction(db, { tenantId, actor: seeder }, async ctx => {
    await lockEntity(ctx.tx, tenantId, { type: 'pricing.demo', id: property.id });
    const [known] = await ctx.tx
      .select({ id: quotes.id })
      .from(quotes)
      .where(and(eq(quotes.propertyId, idToUuid(property.id)), eq(quotes.status, 'used')))
      .limit(1);
    if (known === undefined) await insertQuotes(ctx, house, used());
  });
}

async function insertQuotes(ctx: Ctx, { property, plans }: QuotedHouse, used: readonly SeedQuote[]) {
  const { tenantId } = ctx;
  const byName = await plansByName(ctx, plans);
  const policies = await findPolicies(
    ctx.tx,
    Object.values(byName).flatMap(plan => Object.values(plan.policies).filter(id => id !== null)),
  );
  const charges = await listCharges(ctx.tx, property.id);
  const chargeNames = Object.fromEntries(charges.map(({ code, values }) => [code, values.name]));
  const { zone, currency, checkInFrom } = property;
  await insertAll(
    ctx.tx,
    quotes,
    used.map(({ quoteId, plan: name, bookedAt, stay, rooms }) => {
      const plan = byName[name];
      const frozen = policiesOf(plan, policies);
      if (frozen === undefined) throw new Error(`the plan ${plan.id} has no policies`);
      const { net, tax, gross } = totalOf(rooms as Parameters<typeof totalOf>[0]);
      return {
        ...{ tenantId, id: idToUuid(quoteId), propertyId: idToUuid(property.id), status: 'used' as const },
        ...{ ...stay, zone, currency, checkInFrom, chargeNames, policies: frozen },
        ...{ guarantee: plan.guarantee, refundable: plan.refundable, version: 2 },
        ...{ netMinor: net, taxMinor: tax, grossMinor: gross },
        quotedAt: new Date(bookedAt.getTime() - minutes(2)),
        expiresAt: new Date(bookedAt.getTime() - minutes(2) + QUOTE_TTL_MS),
      };
    }),
  );
  await insertAll(
    ctx.tx,
    quoteRooms,
    used.flatMap(({ quoteId, plan, stay, rooms }) =>
      rooms.map(({ roomTypeId, adults, children, nights }, room) => ({
        ...{
          tenantId,
          quoteId: idToUuid(quoteId),
          room,
          roomTypeId: idToUuid(roomTypeId),
          adults,
          children,
        },
        ...{ ratePlanId: idToUuid(plans[plan]), planVersion: byName[plan].version, ...stay },
        board: byName[plan].board,
        remainderOn: nights[remainderIndex(nights.map(({ price }) => price.gross))]?.date ?? stay.arrival,
      })),
    ),
  );
  await insertAll(
    ctx.tx,
    quoteUses,
    used.map(({ quoteId, reservationId, isGivenBack }) => ({
      ...{ tenantId, reservationId: idToUuid(reservationId), quoteId: idToUuid(quoteId) },
      status: isGivenBack ? ('given_back' as const) : ('booked' as const),
    })),
  );
  await insertNights(ctx, used);
}

async function insertNights({ tx, tenantId }: Ctx, used: readonly SeedQuote[]): Promise<void> {
  const text = <T extends { amount: bigint }>(one: T) => ({ ...one, amount: String(one.amount) });
  const nights = used.flatMap(({ quoteId, rooms }) =>
    rooms.flatMap(({ nights: own }, room) =>
      own.map(({ date, base, adjustments, charges, price: { net, tax, gross } }) => ({
        ...{ tenantId, quoteId: idToUuid(quoteId), room, date, baseMinor: base },
        ...{ netMinor: net, taxMinor: tax, grossMinor: gross },
        ...{ adjustments: adjustments.map(text), charges: charges.map(text) },
      })),
    ),
  );
  await insertAll(tx, quoteNights, nights);
}

async function plansByName({ tx }: Pick<Ctx, 'tx'>, plans: SeededPlans): Promise<Record<DemoPlan, PlanView>> {
  const found = await findPlans(tx, Object.values(plans));
  const named = (name: DemoPlan) => {
    const plan = found.get(plans[name]);
    if (plan === undefined) throw new Error(`the plan ${plans[name]} of the demo is gone`);
    return plan;
  };
  return { flexible: named('flexible'), saver: named('saver'), halfBoard: named('halfBoard') };
}
