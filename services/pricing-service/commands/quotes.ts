import { accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import type { Stay } from '@ghasi/domain-primitives/stay';
import type { QuoteOutcome, QuoteRequest } from '../contract/questions.ts';
import type { PlanView, PolicyView } from '../contract/resources.ts';
import { QuoteExpired } from '../contract.ts';
import type { ChargeRule } from '../model/charges.ts';
import type { FrozenPolicy, Policies } from '../model/policies.ts';
import { QUOTE_TTL_MS, type Quoted, quote, stayOf, totalOf, type WantedRoom } from '../model/quote.ts';
import { datesThatMatter } from '../model/restrictions.ts';
import { readCalendars, soldDays } from '../queries/calendar.ts';
import { listCharges } from '../queries/charges.ts';
import { findProperty, findRoomTypes } from '../queries/houses.ts';
import { findPlans } from '../queries/plans.ts';
import { findPolicies } from '../queries/policies.ts';
import { listPromos } from '../queries/promos.ts';
import { expireQuotes, findQuotes, insertQuote, type Quote } from '../queries/quotes.ts';
import { quoteToView, taxedIn } from '../quote-view.ts';

/** Who puts restrictions aside, and why (R12); the route that allows it has its own roles. */
export type Override = { reason: string; by: string };

/** Prices a stay and freezes the result for 15 minutes, or says what is in its way. */
export async function makeQuote(
  ctx: Ctx,
  request: QuoteRequest,
  override: Override | null = null,
): Promise<QuoteOutcome> {
  const stay = stayOf(request.stay);
  const { propertyId, promoCode, bookingDraftId } = request;
  const [property, rooms, charges, promos] = await Promise.all([
    findProperty(ctx.tx, propertyId),
    wantedRooms(ctx, request),
    listCharges(ctx.tx, propertyId),
    promoCode === null ? [] : listPromos(ctx.tx, { propertyId, code: promoCode }),
  ]);
  const outcome = quote({
    request: { stay, promoCode },
    ...{ property, rooms, rules: charges, promo: promos[0], override: override !== null, now: ctx.now },
  });
  if (outcome.kind === 'refused') return outcome;
  const frozen: Quote = {
    ...frozenOf(ctx, outcome, { stay, charges }),
    ...{ propertyId, bookingDraftId, promoCode },
    override: override !== null && outcome.broken.length > 0 ? { ...override, broken: outcome.broken } : null,
  };
  insertQuote(ctx, frozen);
  return { kind: 'quoted', quote: quoteToView(frozen) };
}

type Frozen = Omit<Quote, 'propertyId' | 'bookingDraftId' | 'promoCode' | 'override'>;

/** What was priced, as a quote that is good from now on; it is promised only once it is kept. */
export function frozenOf(
  ctx: Pick<Ctx, 'now' | 'newId'>,
  outcome: Quoted,
  { stay, charges }: { stay: Stay; charges: readonly ChargeRule[] },
): Frozen {
  const { net, tax, gross } = totalOf(outcome.rooms);
  const { zone, currency, checkInFrom } = outcome.property;
  const { guarantee, refundable } = outcome.plan;
  return {
    ...{ id: ctx.newId('quo'), stay, rooms: outcome.rooms },
    ...{ zone, currency, checkInFrom, guarantee, refundable, policies: outcome.policies },
    previousQuoteId: null,
    status: 'open',
    chargeNames: Object.fromEntries(charges.map(({ code, values }) => [code, values.name])),
    ...{ netMinor: net, taxMinor: tax, grossMinor: gross },
    quotedAt: ctx.now,
    expiresAt: new Date(ctx.now.getTime() + QUOTE_TTL_MS),
    version: 1,
  };
}

/** Quotes whose time is over; says so once for each. Returns how many there were, so that the caller goes on while there are more. */
export async function expireDueQuotes(ctx: Ctx, most: number) {
  const ids = await expireQuotes(ctx.tx, ctx.now, most);
  const lapsed = await findQuotes(ctx.tx, ids);
  return accepted(
    ids.length,
    lapsed.map(one => QuoteExpired.from(expired(one, ctx.now), { aggregateVersion: one.version })),
  );
}

/** The conditions of a plan as they are now. */
export function policiesOf(plan: PlanView, found: Map<Id<'pol'>, PolicyView>): Policies | undefined {
  const { cancellationPolicyId, noShowPolicyId, depositPolicyId } = plan.policies;
  const cancellation = found.get(cancellationPolicyId);
  const noShow = found.get(noShowPolicyId);
  const deposit = depositPolicyId === null ? null : found.get(depositPolicyId);
  if (cancellation?.kind !== 'cancellation' || noShow?.kind !== 'no_show') return undefined;
  if (deposit === undefined || (deposit !== null && deposit.kind !== 'deposit')) return undefined;
  return {
    cancellation: frozenPolicy(cancellation),
    noShow: frozenPolicy(noShow),
    deposit: deposit === null ? null : frozenPolicy(deposit),
  };
}

function frozenPolicy<Terms>(policy: PolicyView & { terms: Terms }): FrozenPolicy<Terms> {
  const { id: policyId, version, name, terms } = policy;
  return { policyId, version, name, terms };
}

type Wanted = Pick<QuoteRequest, 'propertyId' | 'stay' | 'rooms'> & {
  /** The plans, by whoever has read them already. */
  plans?: readonly PlanView[];
};

/** Everything the price of each room depends on; four statements, whatever the number of rooms. */
export async function wantedRooms({ tx }: Pick<Ctx, 'tx'>, request: Wanted): Promise<WantedRoom[]> {
  const { propertyId, rooms } = request;
  const roomTypeIds = [...new Set(rooms.map(({ roomTypeId }) => roomTypeId))];
  const planIds = rooms.map(({ ratePlanId }) => ratePlanId);
  const found = request.plans ?? [...(await findPlans(tx, planIds)).values()];
  const known = found.filter(plan => plan.propertyId === propertyId); // a plan of another house is no plan here
  const plans = new Map(known.map(plan => [plan.id, plan]));
  const [roomTypes, policies, calendars] = await Promise.all([
    findRoomTypes(tx, propertyId, roomTypeIds),
    findPolicies(
      tx,
      known.flatMap(({ policies: named }) => Object.values(named).filter(id => id !== null)),
    ),
    readCalendars(tx, {
      plans: known.flatMap(({ id, derivation }) => [id, ...(derivation ? [derivation.fromPlanId] : [])]),
      roomTypes: roomTypeIds,
      window: datesThatMatter(stayOf(request.stay)),
    }),
  ]);
  return rooms.map(room => {
    const plan = plans.get(room.ratePlanId);
    const sold = plan && soldDays(calendars, plan, room.roomTypeId);
    return {
      ...room,
      roomType: roomTypes.get(room.roomTypeId),
      plan,
      policies: plan && policiesOf(plan, policies),
      days: sold?.days ?? new Map(),
      baseDays: sold?.baseDays ?? null,
    };
  });
}

function expired({ id, propertyId, bookingDraftId, stay, rooms, currency, quotedAt }: Quote, now: Date) {
  const alike = Map.groupBy(rooms, room =>
    [room.roomTypeId, room.ratePlanId, room.adults, room.children].join(' '),
  );
  return {
    ...{ quoteId: id, propertyId, bookingDraftId, stay },
    rooms: [...alike.values()].flatMap(same =>
      same.slice(0, 1).map(({ roomTypeId, ratePlanId, adults, children }) => ({
        ...{ roomTypeId, ratePlanId, adults, children },
        quantity: same.length,
      })),
    ),
    total: taxedIn(currency)(totalOf(rooms)),
    quotedAt: quotedAt.toISOString(),
    expiredAt: now.toISOString(),
  };
}
