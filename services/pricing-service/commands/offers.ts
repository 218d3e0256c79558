import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { z } from 'zod';
import type { offersOf, PlanOffer } from '../contract/site-questions.ts';
import { dueByRail } from '../model/policies.ts';
import { quote, stayOf } from '../model/quote.ts';
import { listCharges } from '../queries/charges.ts';
import { findProperty } from '../queries/houses.ts';
import { listPlans } from '../queries/plans.ts';
import { moneyIn, quoteToView } from '../quote-view.ts';
import { frozenOf, wantedRooms } from './quotes.ts';

type Asked = Omit<z.output<typeof offersOf.input>, 'tenantId'>;

/** Prices a stay on every plan and room type; six statements in two trips, whatever their number. Undefined: no such house. */
export async function listOffers(
  ctx: Pick<Ctx, 'tx' | 'now' | 'newId'>,
  { propertyId, stay: asked, rooms: parties }: Asked,
): Promise<PlanOffer[] | undefined> {
  const [property, listed, rules] = await Promise.all([
    findProperty(ctx.tx, propertyId),
    listPlans(ctx.tx, propertyId),
    listCharges(ctx.tx, propertyId),
  ]);
  if (property === undefined) return undefined;
  const stay = stayOf(asked);
  const plans = listed.filter(({ status }) => status === 'published');
  const wanted = plans.flatMap(plan =>
    plan.roomTypeIds.flatMap(roomTypeId =>
      parties.map(party => ({ roomTypeId, ratePlanId: plan.id, ...party })),
    ),
  );
  if (wanted.length === 0) return [];
  const rooms = await wantedRooms(ctx, { propertyId, stay: asked, rooms: wanted, plans });
  const byOffer = Map.groupBy(rooms, room => `${room.ratePlanId} ${room.roomTypeId}`);
  return [...byOffer.values()].flatMap(same => {
    const [{ roomTypeId, ratePlanId, plan, roomType }] = same as [(typeof same)[number]];
    if (plan === undefined || roomType === undefined) return [];
    const { name, board, refundable } = plan;
    const request = { stay, promoCode: null };
    const outcome = quote({
      request,
      property,
      rooms: same,
      rules,
      promo: undefined,
      override: false,
      now: ctx.now,
    });
    const about = { roomTypeId, ratePlanId, name, board, refundable };
    if (outcome.kind === 'refused') return [{ ...about, outcome }];
    const none = { propertyId, bookingDraftId: null, promoCode: null, override: null };
    return [{ ...about, outcome: priced({ ...frozenOf(ctx, outcome, { stay, charges: rules }), ...none }) }];
  });
}

function priced(frozen: Parameters<typeof quoteToView>[0]): PlanOffer['outcome'] {
  const { total, rooms, charges, rails, cancellation, zone } = quoteToView(frozen);
  const json = moneyIn(frozen.currency);
  const nights = Map.groupBy(
    rooms.flatMap(room => room.nights),
    ({ date }) => date,
  );
  return {
    kind: 'priced',
    offer: {
      ...{ total, charges, rails, cancellation, zone },
      nights: [...nights].map(([date, same]) => ({
        date,
        gross: json(same.reduce((sum, { price }) => sum + BigInt(price.gross.amount), 0n)),
      })),
      freeUntil:
        cancellation.findLast(({ until, fee }) => until !== null && fee.amount === '0')?.until ?? null,
    },
  };
}

/** The plans a house sells on, with the ways to pay each allows. */
export async function listPlansOnSale({ tx }: Pick<Ctx, 'tx'>, propertyId: Id<'pro'>) {
  const plans = (await listPlans(tx, propertyId)).filter(({ status }) => status === 'published');
  return plans.map(({ id: ratePlanId, name, guarantee }) => ({
    ...{ ratePlanId, name, guarantee },
    rails: dueByRail(guarantee, 1n, null).map(({ rail }) => rail),
  }));
}
