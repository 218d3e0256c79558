import { minutes } from '@ghasi/domain-primitives/duration';
import type { Id } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { nightDates, nights, type Stay } from '@ghasi/domain-primitives/stay';
import { localDateIn, type Zone } from '@ghasi/domain-primitives/zone';
import {
  type adjustmentKinds,
  MOST_QUOTED_NIGHTS,
  MOST_QUOTED_ROOM_NIGHTS,
  type QuoteRequest,
  type QuoteStatus,
  type Refusal,
  type RefusalReason,
  restrictionReasons,
} from '../contract/questions.ts';
import type { PlanView } from '../contract/resources.ts';
import { type ChargeLine, type ChargeRule, chargeNights, type Guests, type Taxed } from './charges.ts';
import type { Policies } from './policies.ts';
import { discounts, isFor, type Promo, promoRefusal } from './promo.ts';
import { extraGuestPrice } from './rates.ts';
import { brokenBy, type Day } from './restrictions.ts';
import { remainderIndex, total } from './split.ts';

/** How long a price is promised. */
export const QUOTE_TTL_MS = minutes(15);

/** Where a quote may go. A booking that came in the second of the expiry still uses it. */
export const nextQuoteStatus = {
  open: ['used', 'expired'],
  expired: ['used'],
  used: [],
} as const satisfies Record<QuoteStatus, readonly QuoteStatus[]>;

/** Our copy of a property. */
export type Property = { id: Id<'pro'>; zone: Zone; currency: string; checkInFrom: string };

/** Our copy of a room type. */
export type RoomType = { id: Id<'rty'>; maxAdults: number; maxChildren: number; maxGuests: number };

/** Why a night does not cost what the calendar says. */
export type Adjustment = { kind: (typeof adjustmentKinds)[number]; amount: bigint };

/** One frozen night (R21). */
export type QuotedNight = {
  date: LocalDate;
  base: bigint;
  adjustments: Adjustment[];
  charges: ChargeLine[];
  price: Taxed;
};

/** One room of a quote. */
export type QuotedRoom = Guests & {
  roomTypeId: Id<'rty'>;
  ratePlanId: Id<'rpl'>;
  planVersion: number;
  board: PlanView['board'];
  bookedRoomId: Id<'brm'> | null;
  stay: Stay;
  remainderOn: LocalDate;
  nights: QuotedNight[];
};

/** A wanted room with everything its price depends on; what was not found is undefined. */
export type WantedRoom = Guests & {
  roomTypeId: Id<'rty'>;
  ratePlanId: Id<'rpl'>;
  roomType: RoomType | undefined;
  plan: PlanView | undefined;
  policies: Policies | undefined;
  /** As sold on the plan: derived prices are in. */
  days: ReadonlyMap<LocalDate, Day>;
  /** The calendar's own prices, where the plan is derived. */
  baseDays: ReadonlyMap<LocalDate, Day> | null;
};

/** Everything a quote depends on. */
export type QuoteInput = {
  request: Pick<QuoteRequest, 'promoCode'> & { stay: Stay };
  property: Property | undefined;
  rooms: readonly WantedRoom[];
  rules: readonly ChargeRule[];
  promo: Promo | undefined;
  /** Put restrictions aside; what was broken is kept with the quote. */
  override: boolean;
  now: Date;
};

/** What a quote promises, before it has an id. */
export type Quoted = {
  kind: 'quoted';
  property: Property;
  rooms: QuotedRoom[];
  plan: PlanView;
  policies: Policies;
  broken: Refusal[];
};

/** Prices a stay, or says everything that is in its way. */
export function quote(input: QuoteInput): Quoted | { kind: 'refused'; refusals: Refusal[] } {
  const { property, rooms, request } = input;
  if (property === undefined) return refused([say('property_unknown')]);
  const found = rooms.flatMap((room, index) => roomRefusals(room, index, request.stay));
  const general = generalRefusals(input, property);
  const broken = found.filter(isRestriction);
  const refusals = [...general, ...(input.override ? found.filter(one => !isRestriction(one)) : found)];
  if (refusals.length > 0) return refused(refusals);
  const [first] = rooms as [WantedRoom & { plan: PlanView; policies: Policies }];
  return {
    kind: 'quoted',
    property,
    rooms: priceRooms(input),
    plan: first.plan,
    policies: first.policies,
    broken,
  };
}

/** Sum of rooms in net, tax and gross: the total is nothing but its nights. */
export function totalOf(rooms: readonly { nights: readonly { price: Taxed }[] }[]): Taxed {
  const part = (key: keyof Taxed) => total(rooms.flatMap(room => room.nights.map(night => night.price[key])));
  return { net: part('net'), tax: part('tax'), gross: part('gross') };
}

/** What a night costs before charges. */
export function listedPrice({ base, adjustments }: Pick<QuotedNight, 'base' | 'adjustments'>): bigint {
  return base + total(adjustments.map(({ amount }) => amount));
}

/** One night before codes and charges: what the calendar says, and what plan and guests make of it. */
export function unchargedNight(
  date: LocalDate,
  price: { sold: bigint; calendar: bigint },
  extra: bigint,
): Pick<QuotedNight, 'date' | 'base' | 'adjustments'> {
  const derived = price.sold - price.calendar;
  const adjustments: Adjustment[] = [];
  if (derived !== 0n) adjustments.push({ kind: 'derivation', amount: derived });
  if (extra !== 0n) adjustments.push({ kind: 'extra_guests', amount: extra });
  return { date, base: price.calendar, adjustments };
}

function priceRooms({ rooms, request: { stay }, promo, rules }: QuoteInput): QuotedRoom[] {
  const listed = rooms.map(room =>
    nightDates(stay).map(date => {
      const sold = room.days.get(date)?.price ?? 0n;
      const calendar = room.baseDays === null ? sold : (room.baseDays.get(date)?.price ?? 0n);
      return unchargedNight(date, { sold, calendar }, extraGuestPrice(room.plan?.extraGuests ?? null, room));
    }),
  );
  if (promo !== undefined) applyPromo(promo, rooms, listed);
  return rooms.map((room, index) => chargedRoom(room, { stay, nights: listed[index] ?? [], rules }));
}

function applyPromo(promo: Promo, rooms: readonly WantedRoom[], listed: Uncharged[][]): void {
  const eligible = listed.flatMap((room, index) =>
    isFor(promo, (rooms[index] as WantedRoom).ratePlanId) ? room : [],
  );
  const off = discounts(promo, eligible.map(listedPrice));
  for (const [index, night] of eligible.entries()) {
    const amount = off[index] ?? 0n;
    if (amount > 0n) night.adjustments.push({ kind: 'promo', amount: -amount });
  }
}

type Uncharged = Pick<QuotedNight, 'date' | 'base' | 'adjustments'>;

function chargedRoom(
  { roomTypeId, ratePlanId, plan, adults, children }: WantedRoom,
  { stay, nights: listed, rules }: { stay: Stay; nights: Uncharged[]; rules: readonly ChargeRule[] },
): QuotedRoom {
  const prices = listed.map(night => ({ date: night.date, price: listedPrice(night) }));
  const charged = chargeNights(prices, rules, { guests: { adults, children }, perStay: true });
  const dearest = remainderIndex(prices.map(({ price }) => price));
  return {
    ...{ roomTypeId, ratePlanId, adults, children, stay },
    planVersion: plan?.version ?? 1,
    board: plan?.board ?? 'room_only',
    bookedRoomId: null,
    remainderOn: prices[dearest]?.date ?? stay.arrival,
    nights: listed.map((night, index) => ({ ...night, ...(charged[index] as (typeof charged)[number]) })),
  };
}

function generalRefusals({ request, rooms, promo, now }: QuoteInput, { zone }: Property): Refusal[] {
  const { stay, promoCode } = request;
  const today = localDateIn(zone, now);
  const found: Refusal[] = [];
  // One day of grace: the hotel day may lag behind the calendar (R1), and the desk sells until it is closed.
  if (stay.arrival < addDays(today, -1)) found.push({ ...say('arrival_passed'), date: stay.arrival });
  const limit = Math.min(MOST_QUOTED_NIGHTS, Math.floor(MOST_QUOTED_ROOM_NIGHTS / rooms.length));
  if (nights(stay) > limit) found.push({ ...say('stay_too_long'), limit });
  if (new Set(rooms.flatMap(conditionsOf)).size > 1) found.push(say('mixed_conditions'));
  if (promoCode !== null) {
    const why = promoRefusal(promo, { stay, plans: rooms.map(({ ratePlanId }) => ratePlanId), today });
    if (why !== undefined) found.push(say(why));
  }
  return found;
}

/** A booking has one set of policies, so rooms on plans with other ones are another booking. */
function conditionsOf({ plan }: WantedRoom): string[] {
  if (plan === undefined) return [];
  const { cancellationPolicyId, noShowPolicyId, depositPolicyId } = plan.policies;
  return [[plan.guarantee, plan.refundable, cancellationPolicyId, noShowPolicyId, depositPolicyId].join(' ')];
}

function roomRefusals(room: WantedRoom, index: number, stay: Stay): Refusal[] {
  const { roomType, plan, policies, adults, children } = room;
  const at = (reason: RefusalReason, limit: number | null = null) => ({ ...say(reason, index), limit });
  if (roomType === undefined) return [at('room_type_unknown')];
  if (plan === undefined || policies === undefined) return [at('plan_unknown')];
  if (!plan.roomTypeIds.includes(room.roomTypeId)) return [at('room_type_not_in_plan')];
  const found: Refusal[] = [];
  const { sellFrom, sellUntil } = plan;
  const open = sellFrom <= stay.arrival && (sellUntil === null || stay.arrival <= sellUntil);
  if (plan.status !== 'published' || !open) found.push(at('plan_not_on_sale'));
  const { maxAdults, maxChildren, maxGuests } = roomType;
  if (adults > maxAdults || children > maxChildren || adults + children > maxGuests)
    found.push(at('too_many_guests', maxGuests));
  if (nights(stay) > MOST_QUOTED_NIGHTS) return found;
  for (const { reason, date, limit } of brokenBy(stay, room.days))
    found.push({ reason, room: index, date, limit });
  return found;
}

function isRestriction({ reason }: Refusal): boolean {
  return (restrictionReasons as readonly RefusalReason[]).includes(reason);
}

function say(reason: RefusalReason, room: number | null = null): Refusal {
  return { reason, room, date: null, limit: null };
}

function refused(refusals: Refusal[]): { kind: 'refused'; refusals: Refusal[] } {
  return { kind: 'refused', refusals };
}

/** A stay from outside that is already known to be one. */
export function stayOf({ arrival, departure }: { arrival: string; departure: string }): Stay {
  return { arrival: parseLocalDate(arrival), departure: parseLocalDate(departure) };
}
