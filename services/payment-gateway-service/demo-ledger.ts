import { idToUuid, newId } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import { instantAt, localDateIn } from '@ghasi/domain-primitives/zone';
import { accounts, drawerAccount } from './cash.ts';
import type { SeedBooking, SeedPayment, SeedTill } from './demo-money.ts';
import { isProviderRail } from './model.ts';
import type { drawerCounts, drawers, ledger, shifts } from './tables.ts';

/** One day at the till: a shift, its drawer, and how it was counted. */
export type Till = {
  readonly date: LocalDate;
  readonly shiftId: string;
  readonly shift: typeof shifts.$inferInsert;
  readonly drawer: typeof drawers.$inferInsert;
  readonly count: typeof drawerCounts.$inferInsert;
};

type Posting = Omit<typeof ledger.$inferInsert, 'tenantId' | 'id' | 'propertyId' | 'currency' | 'recordedBy'>;
type PaidCash = { readonly date: LocalDate; readonly booking: SeedBooking; readonly payment: SeedPayment };

/** One day of so many the count is out by a note. */
const OUT_EVERY = 13;

/** The till of every day on which somebody paid in notes; all of them are counted and closed. */
export function tillsOf(house: SeedTill, paid: readonly SeedBooking[]): Till[] {
  const { tenantId, currency, zone, float } = house;
  const byDay = Map.groupBy(cashOf(house, paid), ({ date }) => date);
  const days = [...byDay].sort(([a], [b]) => (a < b ? -1 : 1));
  return days.map(([date, taken], n) => {
    const shiftId = idToUuid(newId('shf'));
    const propertyId = idToUuid(house.propertyId);
    const expected = taken.reduce((sum, { payment }) => sum + payment.amount, float);
    const isOut = n % OUT_EVERY === OUT_EVERY - 1;
    const at = (time: string) => instantAt(zone, date, time);
    return {
      ...{ date, shiftId },
      shift: {
        ...{ tenantId, shiftId, propertyId, operatorId: idToUuid(house.operatorId) },
        ...{ businessDate: date, closed: true },
      },
      drawer: {
        ...{
          tenantId,
          shiftId,
          propertyId,
          businessDate: date,
          status: 'closed',
          openedBy: house.operatorId,
        },
        ...{ openedAt: at('06:30'), countedAt: at('23:40'), closedAt: at('23:45'), version: 3 },
      },
      count: {
        ...{ tenantId, shiftId, currency, expected },
        counted: isOut ? expected - NOTE : expected,
        reason: isOut ? REASON : null,
      },
    };
  });
}

/** The smallest note or coin of both currencies of the demo, in minor units. */
const NOTE = 100n;
const REASON = 'Change given wrongly in the evening';

/** Everything that moved, oldest first: ids sort as it happened. */
export function ledgerOf(
  house: SeedTill,
  paid: readonly SeedBooking[],
  tills: readonly Till[],
): (typeof ledger.$inferInsert)[] {
  const { tenantId, currency } = house;
  const byDay = new Map(tills.map(till => [till.date, till]));
  const postings = [
    ...tills.flatMap(till => drawerPostings(house, till)),
    ...cashOf(house, paid).flatMap(one => cashPostings(house, one, byDay.get(one.date) as Till)),
    ...paid.flatMap(booking => booking.payments.flatMap(one => providerPostings(house, booking, one))),
  ];
  return postings
    .sort((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime())
    .map(posting => ({
      ...posting,
      ...{ tenantId, id: uuid7(), propertyId: idToUuid(house.propertyId), currency },
      recordedBy: 'system:seed',
    }));
}

function cashOf({ zone }: SeedTill, paid: readonly SeedBooking[]): PaidCash[] {
  return paid.flatMap(booking =>
    booking.payments.flatMap(payment =>
      payment.paidAt === null || isProviderRail(payment.rail)
        ? []
        : [{ date: localDateIn(zone, payment.paidAt), booking, payment }],
    ),
  );
}

function drawerPostings(house: SeedTill, { shiftId, drawer, count, date }: Till): Posting[] {
  const account = drawerAccount(shiftId);
  const short = count.expected - count.counted;
  const of = { shiftId, businessDate: date };
  const float: Posting = {
    ...{ ...of, kind: 'float', fromAccount: accounts.safe, toAccount: account, amount: house.float },
    occurredAt: drawer.openedAt,
  };
  const variance: Posting = {
    ...{ ...of, kind: 'variance', fromAccount: account, toAccount: accounts.overShort, amount: short },
    ...{ reason: REASON, occurredAt: drawer.closedAt as Date },
  };
  return short > 0n ? [float, variance] : [float];
}

/** From the guest to the till, and as notes into the drawer. */
function cashPostings(
  { currency }: SeedTill,
  { booking, payment }: PaidCash,
  { shiftId, date }: Till,
): Posting[] {
  const { amount } = payment;
  const of = { ...namesOf(booking, payment), shiftId, businessDate: date, amount };
  const occurredAt = payment.paidAt as Date;
  const account = drawerAccount(shiftId);
  return [
    { ...of, kind: 'capture', fromAccount: accounts.guest, toAccount: accounts.till, occurredAt },
    {
      ...{ ...of, kind: 'cash_in', fromAccount: accounts.till, toAccount: account, occurredAt },
      ...{ valueAmount: amount, valueCurrency: currency },
    },
  ];
}

function providerPostings(house: SeedTill, booking: SeedBooking, payment: SeedPayment): Posting[] {
  const { rail, paidAt, amount, refund } = payment;
  if (paidAt === null || !isProviderRail(rail)) return [];
  const provider = house.providers[rail];
  const [guest, account] = [accounts.guest, accounts.provider(provider)];
  const of = { ...namesOf(booking, payment), provider };
  const capture: Posting = {
    ...{ ...of, kind: 'capture', fromAccount: guest, toAccount: account, amount, occurredAt: paidAt },
    providerReference: referenceOf(payment),
  };
  if (refund === null) return [capture];
  const back: Posting = {
    ...{ ...of, kind: 'refund', fromAccount: account, toAccount: guest, amount: refund.amount },
    ...{ refundId: idToUuid(refund.refundId), reason: 'cancellation', occurredAt: refund.at },
    providerReference: `demo-${refund.refundId}`,
  };
  return [capture, back];
}

function namesOf({ reservationId }: SeedBooking, { paymentId }: SeedPayment) {
  return { reservationId: idToUuid(reservationId), paymentId: idToUuid(paymentId) };
}

/** What the provider calls the money of a payment. */
export function referenceOf({ paymentId }: Pick<SeedPayment, 'paymentId'>): string {
  return `demo-${paymentId}`;
}
