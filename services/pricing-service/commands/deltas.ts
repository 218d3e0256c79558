import { lockEntity } from '@ghasi/db/advisory-lock';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import { localDateIn, parseZone } from '@ghasi/domain-primitives/zone';
import type { AllocationReallocated } from '@melmastoon/inventory-service/contract';
import { DeltaApplied } from '../contract.ts';
import { errors } from '../errors.ts';
import { type Delta, deltaOf, type MovedRoom } from '../model/delta.ts';
import { stayOf, totalOf } from '../model/quote.ts';
import { datesThatMatter } from '../model/restrictions.ts';
import { readCalendars, soldDays } from '../queries/calendar.ts';
import { listCharges } from '../queries/charges.ts';
import { findPlans } from '../queries/plans.ts';
import { findQuote, insertQuote, lastDelta, type Quote } from '../queries/quotes.ts';
import { moneyIn, taxedIn } from '../quote-view.ts';
import { deltas } from '../tables.ts';

/** A booking whose new dates hold. */
export type Reallocated = Parameters<typeof AllocationReallocated.from>[0];

/**
 * SAGA-51: what a date change costs or gives back, against what was promised last. The new price is a quote of its
 * own that the booking uses from now on. A change that a newer one has overtaken is told by that one.
 */
export async function applyDelta(ctx: Ctx, change: Reallocated) {
  const { reservationId, reservationVersion } = change;
  ctx.write(lockEntity(ctx.tx, ctx.tenantId, { type: 'reservation', id: reservationId }));
  const last = await lastDelta(ctx.tx, reservationId);
  if (last !== undefined && last.version >= reservationVersion) return undefined;
  const before = await findQuote(ctx.tx, last?.quoteId ?? change.quoteId);
  // A date change of a booking we never priced: tried again, then a dead letter that somebody looks at.
  if (before === undefined) throw errors.QUOTE_UNKNOWN_FOR_DELTA({ quoteId: change.quoteId });
  const [rooms, rules] = [await movedRooms(ctx, change), await listCharges(ctx.tx, before.propertyId)];
  const outcome = deltaOf({
    previous: before.rooms,
    ...{ rooms, rules, terms: before.policies.cancellation.terms },
    previousStay: stayOf(change.previousStay),
    newStay: stayOf(change.newStay),
    today: localDateIn(parseZone(before.zone), ctx.now),
  });
  const names = Object.fromEntries(rules.map(({ code, values }) => [code, values.name]));
  const after = nextQuote(ctx, before, {
    rooms: outcome.rooms,
    stay: stayOf(change.newStay),
    chargeNames: { ...names, ...before.chargeNames },
  });
  insertQuote(ctx, after);
  const id = ctx.newId('pdl');
  const delta = {
    ...{
      tenantId: ctx.tenantId,
      id: idToUuid(id),
      reservationId: idToUuid(reservationId),
      reservationVersion,
    },
    ...{ quoteId: idToUuid(before.id), newQuoteId: idToUuid(after.id) },
    ...{ feeMinor: outcome.fee, deltaMinor: outcome.delta, appliedAt: ctx.now },
  };
  ctx.write(ctx.tx.insert(deltas).values(delta));
  const payload = { deltaId: id, ...told(change, outcome, { before, after }) };
  return DeltaApplied.from(payload, { aggregateVersion: 1 });
}

type Preview = {
  quoteId: Quote['id'];
  rooms: readonly Omit<MovingRoom, 'newStay'>[];
  newStay: Reallocated['newStay'];
};

/** What a date change would cost, counted as a real one is; nothing is written. Undefined: no such quote. */
export async function previewDelta(
  ctx: Pick<Ctx, 'tx' | 'now'>,
  { quoteId, rooms: asked, newStay }: Preview,
): Promise<{ before: Quote; delta: Delta } | undefined> {
  const before = await findQuote(ctx.tx, quoteId);
  if (before === undefined) return undefined;
  const rooms = await movedRooms(ctx, { rooms: asked.map(room => ({ ...room, newStay })), newStay });
  const delta = deltaOf({
    previous: before.rooms,
    ...{ rooms, rules: await listCharges(ctx.tx, before.propertyId) },
    terms: before.policies.cancellation.terms,
    previousStay: before.stay,
    newStay: stayOf(newStay),
    today: localDateIn(parseZone(before.zone), ctx.now),
  });
  return { before, delta };
}

type MovingRoom = Omit<Reallocated['rooms'][number], 'roomId' | 'previousRoomId' | 'previousStay'>;

type Moving = {
  rooms: readonly MovingRoom[];
  newStay: Reallocated['newStay'];
};

/** The rooms with the calendars their new nights are priced from. */
async function movedRooms({ tx }: Pick<Ctx, 'tx'>, { rooms, newStay }: Moving): Promise<MovedRoom[]> {
  const plans = await findPlans(
    tx,
    rooms.map(({ ratePlanId }) => ratePlanId),
  );
  const calendars = await readCalendars(tx, {
    plans: [...plans.values()].flatMap(({ id, derivation }) => [
      id,
      ...(derivation ? [derivation.fromPlanId] : []),
    ]),
    roomTypes: rooms.map(({ roomTypeId }) => roomTypeId),
    window: datesThatMatter(stayOf(newStay)),
  });
  return rooms.map(({ bookedRoomId, roomTypeId, ratePlanId, adults, children, newStay: window }) => {
    const plan = plans.get(ratePlanId);
    const sold = plan === undefined ? undefined : soldDays(calendars, plan, roomTypeId);
    return {
      ...{ bookedRoomId, roomTypeId, ratePlanId, adults, children },
      newStay: stayOf(window),
      plan: {
        version: plan?.version ?? 1,
        board: plan?.board ?? 'room_only',
        extraGuests: plan?.extraGuests ?? null,
      },
      days: sold?.days ?? new Map(),
      baseDays: sold?.baseDays ?? null,
    };
  });
}

type Changed = Pick<Quote, 'rooms' | 'stay' | 'chargeNames'>;

/** Conditions stay those the guest agreed to; nobody has to accept the new price in time, it is booked. */
function nextQuote(ctx: Ctx, before: Quote, changed: Changed): Quote {
  const { net, tax, gross } = totalOf(changed.rooms);
  return {
    ...before,
    ...changed,
    id: ctx.newId('quo'),
    previousQuoteId: before.id,
    status: 'used',
    override: null,
    ...{ netMinor: net, taxMinor: tax, grossMinor: gross },
    ...{ quotedAt: ctx.now, expiresAt: ctx.now, version: 1 },
  };
}

function told(change: Reallocated, outcome: Delta, { before, after }: { before: Quote; after: Quote }) {
  const [json, taxedJson] = [moneyIn(before.currency), taxedIn(before.currency)];
  const { reservationId, reservationVersion, propertyId, guestId, previousStay, newStay } = change;
  return {
    ...{ reservationId, reservationVersion, propertyId, guestId, previousStay, newStay },
    quoteId: before.id,
    newQuoteId: after.id,
    previousTotal: taxedJson(outcome.previousTotal),
    newTotal: taxedJson(outcome.newTotal),
    fee: json(outcome.fee),
    delta: json(outcome.delta),
    nights: outcome.nights.map(night => ({ ...night, price: taxedJson(night.price) })),
  };
}
