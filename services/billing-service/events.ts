import type { Id } from '@ghasi/domain-primitives/ids';
import { money, toJson } from '@ghasi/domain-primitives/money';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { FolioChargePosted, FolioClosed, FolioOpened, FolioRefundPosted } from './contract.ts';
import type { Book, Fact } from './model/book.ts';
import type { Folio } from './model/folio.ts';
import type { Line } from './model/line.ts';

/**
 * What others hear of a book: the folio, its charges and refunds, and its end. Payments and deposits were told by
 * payment-gateway-service; a folio that was never announced says nothing.
 */
export function eventsOf({ folio, facts }: Book): PendingEvent[] {
  if (folio.status === 'prepared') return [];
  return facts.flatMap(fact => eventOf(folio, fact) ?? []) as PendingEvent[];
}

function eventOf(folio: Folio, fact: Fact) {
  const inMoney = (minor: bigint) => toJson(money(minor, folio.currency));
  if (fact.kind === 'line') return lineEvent(folio, fact.line, inMoney);
  const at = { aggregateVersion: fact.version };
  if (fact.kind === 'opened') {
    const { guestId, currency, openedOn } = folio;
    if (guestId === null || openedOn === null) throw new TypeError(`folio ${folio.id} is nobody's`);
    const { occasion } = fact;
    return FolioOpened.from({ ...headOf(folio), guestId, currency, occasion, businessDate: openedOn }, at);
  }
  const { occasion, closedOn } = folio;
  if (occasion === null || closedOn === null) throw new TypeError(`folio ${folio.id} is not closed`);
  const { charges, payments, refunds } = fact.totals;
  const sums = { charges: inMoney(charges), payments: inMoney(payments), refunds: inMoney(refunds) };
  return FolioClosed.from({ ...headOf(folio), occasion, ...sums, businessDate: closedOn }, at);
}

function lineEvent(folio: Folio, line: Line, inMoney: (minor: bigint) => ReturnType<typeof toJson>) {
  const { id: lineId, net, tax, source, businessDate, position } = line;
  const told = { ...headOf(folio), lineId, balance: inMoney(line.balance), businessDate };
  const at = { aggregateVersion: position };
  if (source !== undefined) {
    const amount = { net: inMoney(net), tax: inMoney(tax), gross: inMoney(net + tax) };
    return FolioChargePosted.from({ ...told, source, amount }, at);
  }
  if (line.kind !== 'refund') return undefined;
  const { refundId, paymentId, refundReason: reason } = line;
  if (refundId === undefined || paymentId === undefined || reason === undefined)
    throw new TypeError(`line ${lineId} gives nothing back`);
  return FolioRefundPosted.from(
    { ...told, refundId, paymentId, reason, amount: inMoney(refundedBy(line)) },
    at,
  );
}

/** What a refund line gives back. */
export function refundedBy({ entries }: Pick<Line, 'entries'>): bigint {
  return entries.reduce((sum, { amount }) => (amount > 0n ? sum + amount : sum), 0n);
}

function headOf({ id, reservationId, propertyId }: Folio): {
  folioId: Id<'fol'>;
  reservationId: Id<'rsv'>;
  propertyId: Id<'pro'>;
} {
  return { folioId: id, reservationId, propertyId };
}
