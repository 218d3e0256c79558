import { on, type Reaction, type ReactionResult } from '@ghasi/backbone/reaction';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { idToUuid } from '@ghasi/domain-primitives/ids';
import { AllocationReallocated } from '@melmastoon/inventory-service/contract';
import { KeyCredentialIssued } from '@melmastoon/lock-integration-service/contract';
import {
  BookingCancelled,
  BookingCheckedOut,
  BookingCheckInStarted,
  BookingConfirmed,
  BookingDatesChanged,
  BookingModified,
} from '@melmastoon/reservation-service/contract';
import { type Fact, noteLetter } from './commands/note-letter.ts';
import { cancelTemplate, type Template } from './model.ts';
import type { Post } from './post.ts';
import { dropOlder } from './queries/letters.ts';
import type { Facts } from './wording/values.ts';

/** Letters about dates: an unwritten one is pointless once the booking has moved on. */
const aboutDates: readonly Template[] = ['dates_changed', 'dates_unavailable'];

/** What we write about when others' events arrive. Each fact is kept and written once; sending is a job's work. */
export function messageReactions(post: Post): Reaction[] {
  const note = async (ctx: Ctx, fact: Fact): Promise<ReactionResult> =>
    (await noteLetter(ctx, post, fact)) ? undefined : 'noop';
  return [
    // SAGA-21: also for cash on arrival.
    on(BookingConfirmed, (ctx, confirmed, envelope) => {
      const { stay, total, payment, keptUntil } = confirmed;
      const facts = {
        stay,
        total: total.gross,
        paid: payment.paid,
        outstanding: payment.outstanding,
        keptUntil,
      };
      return note(ctx, { ...about(confirmed, envelope), template: 'booking_confirmed', facts });
    }),
    // SAGA-33, X-122: what happened decides what is written.
    on(BookingCancelled, (ctx, cancelled, envelope) => {
      const { stay, reason, deadlineKind, refund, fee } = cancelled;
      const why = deadlineKind === 'payment' ? 'noPayment' : 'noRoom';
      const facts: Facts = {
        stay,
        refund,
        fee,
        ...(reason === 'hold_expired' ? { why } : {}),
      };
      return note(ctx, { ...about(cancelled, envelope), template: cancelTemplate(reason), facts });
    }),
    // A room that gets its number before arrival is the house's own business; a guest who is moved should know.
    on(BookingModified, (ctx, modified, envelope) => {
      const isMoved = modified.moves.some(({ fromRoomId }) => fromRoomId !== null);
      const changes = modified.changes.filter(one => one !== 'room_assignment' || isMoved);
      if (changes.length === 0) return 'noop';
      const facts = { stay: modified.stay, changes };
      return note(ctx, { ...about(modified, envelope), template: 'booking_modified', facts });
    }),
    // new dates are a fact only once inventory says so (SAGA-54) …
    on(AllocationReallocated, (ctx, moved, envelope) => {
      const { previousStay, newStay: stay, reservationVersion } = moved;
      const facts = { stay, previousStay };
      return note(ctx, { ...about(moved, envelope), reservationVersion, template: 'dates_changed', facts });
    }),
    // … so a change that was asked for only withdraws what is not written yet, and one that failed is told (SAGA-56).
    on(BookingDatesChanged, async (ctx, changed, envelope) => {
      const reservationVersion = envelope.metadata.aggregateVersion;
      const reservationId = idToUuid(changed.reservationId);
      const of = { reservationId, templates: aboutDates, before: reservationVersion };
      const dropped = await dropOlder(ctx.tx, of);
      if (changed.reason !== 'reallocation_failed') return dropped === 0 ? 'noop' : undefined;
      const facts = { stay: changed.newStay, wantedStay: changed.previousStay };
      const fact = { ...about(changed, envelope), reservationVersion, facts };
      return note(ctx, { ...fact, template: 'dates_unavailable' });
    }),
    // SAGA-37: the check-in waits for this one to be dispatched.
    on(BookingCheckInStarted, (ctx, started, envelope) =>
      note(ctx, { ...about(started, envelope), template: 'welcome', facts: { stay: started.stay } }),
    ),
    // SAGA-46: a receipt each time the balance is told, the survey once.
    on(BookingCheckedOut, async (ctx, left, envelope) => {
      const { stay, balance, reservationId } = left;
      const fact = { ...about(left, envelope), facts: { stay, balance } };
      const cause = `${reservationId}:stay_survey`;
      const [receipt, survey] = await Promise.all([
        noteLetter(ctx, post, { ...fact, template: 'receipt' }),
        noteLetter(ctx, post, { ...fact, template: 'stay_survey', cause, facts: { stay } }),
      ]);
      return receipt || survey ? undefined : 'noop';
    }),
    // One word about the keys of a booking, however many rooms it has; each replacement is told. Never a code: no
    // event holds one.
    on(KeyCredentialIssued, (ctx, issued, envelope) => {
      const { reservationId, credentialId, window, medium, reason } = issued;
      const what = reason === 'replacement' ? credentialId : `${window.validFrom}/${window.validUntil}`;
      const fact = { ...about(issued, envelope), facts: { keyWindow: window, medium } };
      return note(ctx, { ...fact, template: 'key_ready', cause: `${reservationId}:key_ready:${what}` });
    }),
  ] as Reaction[];
}

type Head = Pick<Fact, 'reservationId' | 'propertyId'>;
type Envelope = { readonly idempotencyKey: string; readonly occurredAt: string };

/** Whom a fact is about, and what makes it the same one when it comes again: the key its owner gave it. */
function about({ reservationId, propertyId }: Head, { idempotencyKey, occurredAt }: Envelope) {
  return { reservationId, propertyId, cause: idempotencyKey, occurredAt: new Date(occurredAt) };
}
