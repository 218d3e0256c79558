import { accepted } from '@ghasi/db/accepted';
import { sql } from '@ghasi/db/drizzle';
import { execute } from '@ghasi/db/sql';
import { systemTransaction, tenantTransaction } from '@ghasi/db/tenant-transaction';
import { days, minutes } from '@ghasi/domain-primitives/duration';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { defineJob, every, type LooseJobCtx, type Schedule } from '@ghasi/jobs/define-job';
import { rounds } from '@ghasi/jobs/rounds';
import { bookingOfDraft } from '@melmastoon/reservation-service/contract/site-questions';
import { z } from 'zod';
import { endDraft } from './commands/end-draft.ts';
import { convert, failDraft } from './commands/settle-draft.ts';
import { dropDraft, dueDrafts, findDraft } from './drafts.ts';
import { failureOf } from './model.ts';
import { findDraftBooking, hasEnded, lockDraft, unsettledDrafts } from './queries/draft-bookings.ts';
import type { Booking } from './runtime.ts';

const service = 'bff_tenant_booking';
const BATCH = 500;

/** A booking that nobody has told us the end of for so long is asked about: longer than any hold. */
const UNSETTLED_MS = minutes(15);

type Of = { tenantId: TenantId; draftId: Id<'bdr'> };
const sweepRound = rounds<Of>({ most: BATCH });
const settleRound = rounds<Of>({ most: BATCH });

type Sweeping = Pick<LooseJobCtx, 'db' | 'now' | 'actor' | 'log'> & { signal: AbortSignal };

/** TB-56, X-144: puts drafts that are over on record, says so, and forgets them. Returns how many there were. */
export async function sweepDrafts(booking: Booking, { signal, ...ctx }: Sweeping): Promise<number> {
  const store = booking.state();
  let swept = 0;
  const due = (most: number) => dueDrafts(store, ctx.now, most);
  for (let batch = BATCH; batch === BATCH && !signal.aborted; ) {
    batch = await sweepRound({ ...ctx, job: { signal } }, due, async of => {
      const draft = await findDraft(store, of);
      if (draft !== undefined) {
        swept += 1;
        await tenantTransaction(ctx.db, { ...ctx, tenantId: of.tenantId }, async inside => {
          await lockDraft(inside, of.draftId);
          // Whoever confirmed it decides how it ends.
          if ((await findDraftBooking(inside.tx, of.draftId)) !== undefined) return accepted(undefined, []);
          if (await hasEnded(inside.tx, of.draftId)) return accepted(undefined, []);
          const events = await endDraft(inside, { draft, as: 'abandoned', lastStep: 'details' });
          return accepted(undefined, events);
        });
      }
      await dropDraft(store, of);
    });
  }
  return swept;
}

/** Bookings whose end we did not hear of: reservation is asked. */
export async function settleBookings(booking: Booking, { signal, ...ctx }: Sweeping): Promise<void> {
  const before = new Date(ctx.now.getTime() - UNSETTLED_MS);
  const found = (most: number) =>
    systemTransaction(ctx.db, ctx, ({ tx }) => unsettledDrafts(tx, before, most));
  await settleRound({ ...ctx, job: { signal } }, found, async ({ tenantId, draftId }) => {
    const made = await booking.ask(bookingOfDraft, { tenantId, bookingDraftId: draftId });
    await tenantTransaction(ctx.db, { ...ctx, tenantId }, async inside => {
      if (made === null)
        return accepted(
          undefined,
          await failDraft(inside, { named: { draftId }, failure: 'UPSTREAM_ERROR', reservationId: null }),
        );
      const { reservationId, status, payment } = made;
      const failure = failureOf(made);
      if (failure !== null)
        return accepted(undefined, await failDraft(inside, { named: { draftId }, failure, reservationId }));
      if (status === 'held' || status === 'draft') return accepted(undefined, []);
      return accepted(undefined, await convert(inside, { draftId, reservationId, rail: payment.rail }));
    });
  });
}

function prune(name: string, table: string, column: string) {
  return defineJob({
    name: `${service}.${name}`,
    service,
    scope: 'system',
    runAs: 'maintenance',
    queue: 'bulk',
    input: z.strictObject({}),
    transaction: 'none',
    async run(ctx) {
      const before = new Date(ctx.now.getTime() - days(30));
      const [at, from] = [sql.identifier(column), sql`${sql.identifier(service)}.${sql.identifier(table)}`];
      for (let batch = BATCH; batch === BATCH && !ctx.job.signal.aborted; )
        batch = await ctx.transaction(({ tx }) =>
          execute(
            tx,
            sql`delete from ${from}
                where ctid in (select ctid from ${from} where ${at} < ${before} limit ${BATCH})`,
          ),
        );
    },
  });
}

/** Everything that runs by itself; outbox, inbox and idempotency keys are pruned by the backbone (TB-51, TB-52, TB-55). */
export function schedules(booking: Booking): readonly Schedule[] {
  const sweep = defineJob({
    name: `${service}.sweep-abandoned-drafts`,
    service,
    scope: 'system',
    input: z.strictObject({}),
    transaction: 'none',
    async run(ctx) {
      const sweeping = { ...ctx, signal: ctx.job.signal };
      try {
        await sweepDrafts(booking, sweeping);
      } finally {
        await settleBookings(booking, sweeping);
      }
    },
  });
  return [
    every('60s', sweep), // TB-56
    every('17 * * * *', prune('handoff-arrival-prune', 'handoff_arrival_log', 'received_at')), // TB-53
    every('10 21 * * *', prune('draft-snapshot-prune', 'booking_draft_snapshots', 'finalized_at')), // TB-54
    every('20 21 * * *', prune('draft-booking-prune', 'draft_bookings', 'updated_at')),
  ];
}
