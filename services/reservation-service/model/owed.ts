import { add, fromJson, type MoneyJson, subtract, toJson } from '@ghasi/domain-primitives/money';
import type { Payment, TaxedPrice } from '../contract/booking-parts.ts';

/** A booking, as far as money goes. */
type Priced = { readonly total: TaxedPrice; readonly changeFees?: MoneyJson };
type Paid = { readonly total: TaxedPrice; readonly payment: Payment };

/** What a booking costs: its nights, and what was asked for changing them. */
export function owedFor({ total, changeFees = nothingOf({ total }) }: Priced): MoneyJson {
  return plus(total.gross, changeFees);
}

/** The payment of a booking of which so much was paid. */
export function withPaid(booking: Priced & Paid, paid: MoneyJson): Payment {
  return { ...booking.payment, paid, outstanding: atLeastZero(minus(owedFor(booking), paid)) };
}

/** The payment as others hear of it: of the nights alone. Billing has its own line for the fee of a change. */
export function paymentOfNights(booking: Paid): Payment {
  const paid = paidForNights(booking);
  return { ...booking.payment, paid, outstanding: minus(booking.total.gross, paid) };
}

/** What was paid for its nights; the fee of a change and the bar are above it, and stay where they are. */
export function paidForNights({ total, payment }: Paid): MoneyJson {
  return least(payment.paid, total.gross);
}

/** Nothing where it would be less. */
export function atLeastZero(amount: MoneyJson): MoneyJson {
  return amount.amount.startsWith('-') ? { ...amount, amount: '0' } : amount;
}

/** No money, in the booking's currency. */
export function nothingOf({ total }: Priced): MoneyJson {
  return { amount: '0', currency: total.gross.currency };
}

/** The smaller of two sums of one currency. */
export function least(a: MoneyJson, b: MoneyJson): MoneyJson {
  return minus(a, b).amount.startsWith('-') ? a : b;
}

/** The difference of two sums of one currency. */
export function minus(a: MoneyJson, b: MoneyJson): MoneyJson {
  return toJson(subtract(fromJson(a), fromJson(b)));
}

/** Two sums of one currency together. */
export function plus(a: MoneyJson, b: MoneyJson): MoneyJson {
  return toJson(add(fromJson(a), fromJson(b)));
}
