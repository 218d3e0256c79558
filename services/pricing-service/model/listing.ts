import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { PlanView } from '../contract/resources.ts';
import { type ChargeRule, chargeNights, type Guests } from './charges.ts';
import type { RoomType } from './quote.ts';
import { extraGuestPrice } from './rates.ts';
import type { Day } from './restrictions.ts';
import { total } from './split.ts';

/** Most combinations of adults and children that are priced for one room; of more, those with fewer children. */
const MOST_PARTIES = 60;

/** A day of a plan as lists show it. */
export type ListedDay = {
  date: LocalDate;
  /** By party, see {@link partiesOf}; null: not sold on that night. */
  gross: bigint[] | null;
  /** What a stay that begins here pays once, by party; empty: nothing. */
  onArrival: bigint[];
  minNights: number;
  maxNights: number | null;
  closedToArrival: boolean;
  closedToDeparture: boolean;
};

/** How many of each a list of prices covers. */
export type Parties = { adults: number; children: number };

/** The parties that are priced: the price of `a` adults with `c` children is number `c × adults + a − 1`. */
export function partiesOf({ maxAdults, maxChildren }: RoomType): Parties {
  const most = Math.max(0, Math.floor(MOST_PARTIES / maxAdults) - 1);
  return { adults: maxAdults, children: Math.min(maxChildren, most) };
}

/**
 * What the nights of a plan cost with all charges, night by night. The sum over a stay is what a quote says, but for the
 * last few minor units where percentages come on top: a quote rounds those once for the whole stay.
 */
export function listedDays(
  days: Iterable<Day>,
  { plan, roomType, rules }: { plan: PlanView; roomType: RoomType; rules: readonly ChargeRule[] },
): ListedDay[] {
  const parties = [...eachParty(partiesOf(roomType))];
  const priced = priceLists(parties, plan, rules);
  return [...days].map(({ date, price, restrictions }) => {
    const { closed, closedToArrival, closedToDeparture, minNights, maxNights } = restrictions;
    const isOnSale = plan.sellFrom <= date && (plan.sellUntil === null || date <= plan.sellUntil);
    const listed = price === null || closed ? { gross: null, onArrival: [] } : priced(date, price);
    return {
      ...{ date, ...listed, minNights, maxNights, closedToDeparture },
      closedToArrival: closedToArrival || !isOnSale,
    };
  });
}

function* eachParty({ adults, children }: Parties): Generator<Guests> {
  for (let c = 0; c <= children; c += 1)
    for (let a = 1; a <= adults; a += 1) yield { adults: a, children: c };
}

/** Calendars have few prices and charges few seasons: each list is made once (a year of nights has about ten). */
function priceLists(parties: readonly Guests[], plan: PlanView, rules: readonly ChargeRule[]) {
  const known = new Map<string, Pick<ListedDay, 'gross' | 'onArrival'>>();
  return (date: LocalDate, price: bigint) => {
    const inForce = rules.filter(
      ({ values }) => values.validFrom <= date && (values.validUntil === null || date <= values.validUntil),
    );
    const key = [price, ...inForce.map(({ code }) => code)].join(' ');
    const found = known.get(key) ?? priceList(parties, { date, price, plan, rules: inForce });
    known.set(key, found);
    return found;
  };
}

function priceList(
  parties: readonly Guests[],
  {
    date,
    price,
    plan,
    rules,
  }: { date: LocalDate; price: bigint; plan: PlanView; rules: readonly ChargeRule[] },
) {
  const grossOf = (guests: Guests, perStay: boolean) => {
    const night = { date, price: price + extraGuestPrice(plan.extraGuests, guests) };
    return total(chargeNights([night], rules, { guests, perStay }).map(one => one.price.gross));
  };
  const gross = parties.map(guests => grossOf(guests, false));
  const once = parties.map((guests, index) => grossOf(guests, true) - (gross[index] ?? 0n));
  return { gross, onArrival: once.every(amount => amount === 0n) ? [] : once };
}
