import type { ReactionResult } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { parseCurrency } from '@ghasi/domain-primitives/money';
import type { PayloadOf } from '@ghasi/event-envelope/define-event';
import { enqueue } from '@ghasi/jobs/enqueue';
import type {
  BookingCancelled,
  BookingCheckedIn,
  BookingCheckedOut,
  BookingCheckInStarted,
  BookingCheckInUndone,
  BookingConfirmed,
  BookingModified,
  BookingNoShow,
} from '@melmastoon/reservation-service/contract';
import { partsOf } from '../learn-taxes.ts';
import { type Book, change, open } from '../model/book.ts';
import type { Folio, Stage } from '../model/folio.ts';
import type { Night } from '../model/line.ts';
import { type Ending, endBooking, enter, revive } from '../model/stay.ts';
import { lockFolio, lockOrPrepare } from '../queries/folios.ts';
import { standingFees } from '../queries/lines.ts';
import { listNights } from '../queries/nights.ts';
import { learnTaxes } from '../tasks.ts';
import { keepBook, postingAt } from './keep-book.ts';

type Confirmed = PayloadOf<typeof BookingConfirmed>;
type Head = Pick<Confirmed, 'reservationId' | 'propertyId' | 'guestId' | 'locale'>;

/** SAGA-19, X-112: the folio of a booking opens, with the frozen price of each of its nights. Or the booking lives again. */
export async function confirmBooking(
  ctx: Ctx,
  confirmed: Confirmed,
  version: number,
): Promise<ReactionResult> {
  const { reservationId, propertyId, total } = confirmed;
  // One packet, in this order: first the house is held, then the folio locked.
  const [at, folio, nights] = await Promise.all([
    postingAt(ctx, propertyId),
    lockOrPrepare(ctx, originOf(confirmed, total.gross.currency)),
    listNights(ctx.tx, { reservationId }),
  ]);
  const isOld = version <= folio.bookingVersion;
  if (folio.status === 'closed' || (isOld && nights.length > 0)) return 'noop';
  const hasEnded = folio.stage === 'cancelled' || folio.stage === 'no_show';
  const fees = hasEnded ? await standingFees(ctx.tx, folio.id) : [];
  const { book, events } = keepBook(ctx, { folio, nights }, before => {
    const { quoteId, payment } = confirmed;
    const known = isOld
      ? { quoteId, rail: payment.rail }
      : { ...headOf(confirmed), quoteId, rail: payment.rail, bookingVersion: version };
    const told = {
      ...change(before, known),
      nights: nights.length > 0 ? before.nights : nightsOf(confirmed),
    };
    const opened = folio.status === 'prepared' ? open(told, 'confirmation', at) : told;
    return hasEnded && !isOld ? revive(opened, fees, at) : opened;
  });
  if (book.nights.some(({ taxes }) => taxes === null))
    await enqueue(ctx, learnTaxes, { folioId: folio.id, quoteId: confirmed.quoteId }, { key: folio.id });
  return events;
}

function nightsOf({ rooms }: Confirmed): Night[] {
  return rooms.flatMap(({ bookedRoomId, nights }, room) =>
    nights.map(({ date, price: { net, tax }, taxes }) => ({
      ...{ bookedRoomId, date, room, net: BigInt(net.amount), tax: BigInt(tax.amount) },
      ...{ taxes: taxes === undefined ? null : partsOf(taxes, BigInt(tax.amount)), posted: false },
    })),
  );
}

/** SAGA-35, X-112: check-in ensures that the folio is open. From here on a closed day charges its night. */
export async function startCheckIn(
  ctx: Ctx,
  started: PayloadOf<typeof BookingCheckInStarted>,
  version: number,
): Promise<ReactionResult> {
  const [at, folio] = await Promise.all([
    postingAt(ctx, started.propertyId, started.businessDate),
    lockOrPrepare(ctx, originOf(started, started.total.gross.currency)),
  ]);
  if (version <= folio.bookingVersion) return 'noop';
  const { events } = keepBook(ctx, { folio }, book => {
    const known = { ...headOf(started), rail: started.payment.rail, bookingVersion: version };
    const told = enter(change(book, known), 'in_house');
    return folio.status === 'prepared' ? open(told, 'check_in', at) : told;
  });
  return events;
}

/** Somebody else stays, or would like to be written to in another language: the next invoice is his. */
export async function modifyBooking(
  ctx: Ctx,
  modified: PayloadOf<typeof BookingModified>,
  version: number,
): Promise<ReactionResult> {
  const folio = await lockFolio(ctx.tx, { reservationId: modified.reservationId });
  if (folio === undefined || folio.status !== 'open' || version <= folio.bookingVersion) return 'noop';
  const known = { ...headOf(modified), bookingVersion: version };
  return keepBook(ctx, { folio }, book => change(book, known)).events;
}

type Staged =
  | PayloadOf<typeof BookingCheckedIn>
  | PayloadOf<typeof BookingCheckedOut>
  | PayloadOf<typeof BookingCheckInUndone>;

/** The stay goes on, or back to where it was before a check-in that was none. */
export async function reachStage(
  ctx: Ctx,
  { reservationId }: Staged,
  { stage, version }: { stage: Stage; version: number },
): Promise<ReactionResult> {
  const folio = await lockFolio(ctx.tx, { reservationId });
  if (folio === undefined || version <= folio.bookingVersion) return 'noop';
  const { events } = keepBook(ctx, { folio }, book =>
    enter(change(book, { bookingVersion: version }), stage),
  );
  return events;
}

/** Cancels that say: this booking never was. Nobody can undo them. */
const compensating: readonly string[] = ['hold_expired', 'payment_failed'];

/** SAGA-32: the fee of the policy is charged, deposits end; until the day of arrival has closed it can be undone (R18). */
export function cancelBooking(
  ctx: Ctx,
  cancelled: PayloadOf<typeof BookingCancelled>,
  version: number,
): Promise<ReactionResult> {
  const { reason, stay } = cancelled;
  const closableFrom = compensating.includes(reason) ? null : dayAfter(stay.arrival, 1);
  return end(ctx, cancelled, { ...endingOf(cancelled), stage: 'cancelled', version, closableFrom });
}

/** R17: the same for a guest who did not come; it can be undone until the next day closes. */
export function missBooking(
  ctx: Ctx,
  missed: PayloadOf<typeof BookingNoShow>,
  version: number,
): Promise<ReactionResult> {
  const closableFrom = dayAfter(missed.businessDate, 2);
  return end(ctx, missed, { ...endingOf(missed), stage: 'no_show', version, closableFrom });
}

async function end(
  ctx: Ctx,
  { reservationId, propertyId }: Pick<Head, 'reservationId' | 'propertyId'>,
  ending: Ending,
): Promise<ReactionResult> {
  const folio = await lockFolio(ctx.tx, { reservationId });
  // A hold without money: there is nothing to undo.
  if (folio === undefined || ending.version <= folio.bookingVersion) return 'noop';
  const at = await postingAt(ctx, propertyId);
  const { events } = keepBook(ctx, { folio }, (book: Book) =>
    endBooking(change(book, { bookingVersion: ending.version }), ending, at),
  );
  return events;
}

type Ended = PayloadOf<typeof BookingCancelled> | PayloadOf<typeof BookingNoShow>;

function endingOf({ fee, rooms }: Ended): Pick<Ending, 'fee' | 'bookedRoomId'> {
  const [room] = rooms as [Ended['rooms'][number]];
  return { fee: BigInt(fee.amount), bookedRoomId: room.bookedRoomId };
}

function headOf({ guestId, locale }: Head): Pick<Folio, 'guestId' | 'locale'> {
  return { guestId, locale };
}

function originOf({ reservationId, propertyId }: Head, currency: string) {
  return { reservationId, propertyId, currency: parseCurrency(currency) };
}

function dayAfter(date: string, days: number): string {
  return addDays(parseLocalDate(date), days);
}
