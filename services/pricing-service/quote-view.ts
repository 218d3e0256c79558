import { parseZone } from '@ghasi/domain-primitives/zone';
import type { LeavingTerms, QuoteView } from './contract/questions.ts';
import type { Taxed } from './model/charges.ts';
import {
  type CheckIn,
  type Deadline,
  deadlines,
  dueByRail,
  feeAt,
  feeOf,
  freeUntil,
  keptUntil,
} from './model/policies.ts';
import { totalOf } from './model/quote.ts';
import { total } from './model/split.ts';
import type { Quote } from './queries/quotes.ts';

/** Money of a quote on the wire. */
export function moneyIn(currency: string) {
  // One of the kernel's currencies: it came with the property's event.
  const code = currency as 'AFN';
  return (minor: bigint) => ({ amount: minor.toString(), currency: code });
}

/** A price with what is in it, on the wire. */
export function taxedIn(currency: string) {
  const json = moneyIn(currency);
  return ({ net, tax, gross }: Taxed) => ({ net: json(net), tax: json(tax), gross: json(gross) });
}

/** A quote as others see it. */
export function quoteToView(quote: Quote): QuoteView {
  const [json, taxedJson] = [moneyIn(quote.currency), taxedIn(quote.currency)];
  const { gross } = totalOf(quote.rooms);
  const { deposit: depositPolicy } = quote.policies;
  const deposit = depositPolicy === null ? null : feeOf(depositPolicy.terms.deposit, quote.rooms);
  const { id, rooms, policies, guarantee, refundable, promoCode, zone, checkInFrom, override } = quote;
  return {
    ...{ quoteId: id, policies, guarantee, refundable, promoCode, zone, checkInFrom, override },
    previousQuoteId: quote.previousQuoteId,
    propertyId: quote.propertyId,
    bookingDraftId: quote.bookingDraftId,
    status: quote.status,
    stay: quote.stay,
    rooms: rooms.map(({ nights, ...room }) => ({
      ...room,
      nights: nights.map(({ date, base, adjustments, charges, price }) => ({
        date,
        base: json(base),
        adjustments: adjustments.map(one => ({ ...one, amount: json(one.amount) })),
        charges: charges.map(one => ({ ...one, amount: json(one.amount) })),
        price: taxedJson(price),
      })),
      total: taxedJson(totalOf([{ nights }])),
    })),
    total: taxedJson(totalOf(rooms)),
    charges: chargesOf(quote),
    deposit: json(deposit ?? 0n),
    rails: dueByRail(guarantee, gross, deposit).map(({ rail, dueNow, dueLater }) => ({
      rail,
      dueNow: json(dueNow),
      dueLater: json(dueLater),
    })),
    cancellation: deadlines(policies.cancellation.terms, rooms, checkInOf(quote)).map(deadlineIn(json)),
    quotedAt: quote.quotedAt.toISOString(),
    expiresAt: quote.expiresAt.toISOString(),
  };
}

/** What leaving costs, and what comes back of what was paid; without `paid` of the whole price. */
export function leavingTermsOf(
  quote: Quote,
  { at, because, paid }: { at: Date; because: 'cancellation' | 'no_show'; paid: bigint | null },
): LeavingTerms {
  const json = moneyIn(quote.currency);
  const { cancellation, noShow } = quote.policies;
  const steps = deadlines(cancellation.terms, quote.rooms, checkInOf(quote));
  const fee = because === 'no_show' ? feeOf(noShow.terms.fee, quote.rooms) : feeAt(steps, at);
  const { gross } = totalOf(quote.rooms);
  // What was paid above the price was for something else: the fee of a date change stays with the house.
  const given = paid === null || paid > gross ? gross : paid;
  return {
    quoteId: quote.id,
    at: at.toISOString(),
    fee: json(fee),
    refund: json(given > fee ? given - fee : 0n),
    owed: json(fee > given ? fee - given : 0n),
    freeUntil: freeUntil(steps)?.toISOString() ?? null,
    deadlines: steps.map(deadlineIn(json)),
    keptUntil: (because === 'no_show' && keptUntil(noShow.terms, checkInOf(quote))?.toISOString()) || null,
    zone: quote.zone,
  };
}

function checkInOf({ zone, stay, checkInFrom }: Quote): CheckIn {
  return { zone: parseZone(zone), date: stay.arrival, from: checkInFrom };
}

function deadlineIn(json: ReturnType<typeof moneyIn>) {
  return ({ until, fee }: Deadline) => ({ until: until?.toISOString() ?? null, fee: json(fee) });
}

/** Each tax and fee once, over all rooms and nights. */
function chargesOf({ rooms, currency, chargeNames }: Quote): QuoteView['charges'] {
  const lines = rooms.flatMap(({ nights }) => nights.flatMap(({ charges }) => charges));
  const byCode = Map.groupBy(lines, ({ code, mode }) => `${code} ${mode}`);
  return [...byCode.values()].flatMap(same => {
    const [first] = same;
    if (first === undefined) return [];
    const { code, kind, mode } = first;
    const amount = moneyIn(currency)(total(same.map(line => line.amount)));
    return [{ code, kind, mode, amount, name: chargeNames[code] ?? [{ locale: 'en' as const, text: code }] }];
  });
}
