import { daysBetween, type LocalDate, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { instantAt, parseZone } from '@ghasi/domain-primitives/zone';
import type { QuoteView } from '@melmastoon/pricing-service/contract/questions';
import type { z } from 'zod';
import type { PropertyCard, pricedStay } from './contract/booking-parts.ts';
import { stillToCome } from './model.ts';
import { inLocale, type Locale, offeredRails } from './site.ts';

type Priced = { [K in keyof typeof pricedStay]: z.output<(typeof pricedStay)[K]> };

/** What both a list entry and a frozen quote say. */
export type PriceFacts = Pick<
  QuoteView,
  'total' | 'charges' | 'rails' | 'cancellation' | 'zone' | 'refundable'
> & {
  board: Priced['board'];
  nights: readonly { date: string; gross: { amount: string; currency: string } }[];
  stay: { arrival: string; departure: string };
};

/** A price with everything a guest must know before he pays, in his language. */
export function pricedView(
  facts: PriceFacts,
  { house, locale, holdMs, now }: { house: PropertyCard; locale: Locale; holdMs: number; now: Date },
): Priced {
  const cancellation = stillToCome(facts.cancellation, now);
  const { total, zone, refundable, board, nights, stay } = facts;
  const arrival = parseLocalDate(stay.arrival);
  const length = BigInt(daysBetween(arrival, parseLocalDate(stay.departure) as LocalDate));
  const checkIn = instantAt(parseZone(house.zone), arrival, house.checkInFrom).toISOString();
  const free = cancellation.findLast(({ until, fee }) => until !== null && fee.amount === '0');
  return {
    ...{ total, cancellation, zone, refundable, board },
    perNight: { ...total.gross, amount: (BigInt(total.gross.amount) / length).toString() },
    nights: nights.map(({ date, gross }) => ({ date, gross: gross as Priced['perNight'] })),
    charges: facts.charges.map(({ code, kind, mode, amount, name }) => ({
      ...{ code, kind, mode, amount },
      name: inLocale(name, locale),
    })),
    payChoices: offeredRails(facts.rails, house).map(({ rail, dueNow, dueLater }) => ({
      ...{ rail, dueNow, dueLater },
      payWithinMs: dueNow.amount === '0' ? null : holdMs,
      dueLaterBy: dueLater.amount === '0' ? null : checkIn,
    })),
    freeUntil: free?.until ?? null,
  };
}

/** A quote as a list entry would say it: nights over all rooms. */
export function factsOfQuote(quote: QuoteView): PriceFacts {
  const nights = Map.groupBy(
    quote.rooms.flatMap(room => room.nights),
    ({ date }) => date,
  );
  const { total, charges, rails, cancellation, zone, refundable, stay } = quote;
  return {
    ...{ total, charges, rails, cancellation, zone, refundable, stay },
    board: quote.rooms[0]?.board ?? 'room_only',
    nights: [...nights].map(([date, same]) => ({
      date,
      gross: {
        amount: same.reduce((sum, { price }) => sum + BigInt(price.gross.amount), 0n).toString(),
        currency: total.gross.currency,
      },
    })),
  };
}
