import type { Ask } from '@ghasi/backbone/question';
import { accepted } from '@ghasi/db/accepted';
import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import { type Ctx, systemTransaction } from '@ghasi/db/tenant-transaction';
import { type Id, idFromUuid, parseTenantId, type TenantId } from '@ghasi/domain-primitives/ids';
import type { MoneyJson } from '@ghasi/domain-primitives/money';
import { defineJob, every, type LooseJobCtx, type Schedule } from '@ghasi/jobs/define-job';
import { rounds } from '@ghasi/jobs/rounds';
import { folioOf } from '@melmastoon/billing-service/contract/questions';
import { z } from 'zod';
import { locked } from './commands.ts';
import { findOpenSaga } from './queries.ts';
import { endOverdueHold } from './sagas/booking.ts';
import { endOverdueCheckIn } from './sagas/check-in.ts';
import { endOverdueCheckOut } from './sagas/check-out.ts';
import { endOverdueDateChange } from './sagas/date-change.ts';

type DueSaga = { tenantId: TenantId; sagaId: string; kind: string; reservationId: Id<'rsv'> };

/** Whose deadlines are looked after in one round; the next one is 5 s later. */
const round = rounds<DueSaga>({ most: 200 });

/** SAGA-08: ends sagas whose time is over, each in a transaction of its tenant. Safe to run any number of times. */
export function sweepDeadlines(ask: Ask) {
  return defineJob({
    name: 'reservation.sweep-deadlines',
    queue: 'critical',
    scope: 'system',
    transaction: 'none',
    input: z.strictObject({}),
    run: ctx => endDueSagas(ctx, of => owedBy(ask, of)),
  });
}

/** What billing says a guest owes beside his booking; undefined while it does not answer. */
export type Owed = (of: { tenantId: TenantId; reservationId: Id<'rsv'> }) => Promise<MoneyJson | undefined>;

const owedBy = async (ask: Ask, of: Parameters<Owed>[0]) =>
  (await ask(folioOf, of).catch(() => null))?.due as MoneyJson | undefined;

type Sweeper = Pick<LooseJobCtx, 'db' | 'now' | 'actor' | 'log'> & {
  readonly job?: LooseJobCtx['job'];
  transaction(work: (ctx: Ctx) => Promise<unknown>, options: { tenantId: TenantId }): Promise<unknown>;
};

/** Ends what is overdue at this moment. */
export async function endDueSagas(ctx: Sweeper, owed: Owed = async () => undefined): Promise<void> {
  const found = (most: number) => dueSagas(ctx, most);
  await round(ctx, found, async ({ tenantId, sagaId, kind, reservationId }) => {
    // Asked before the transaction: the minibar is not in the price of the booking.
    const due = kind === 'check_out' ? await owed({ tenantId, reservationId }) : undefined;
    await ctx.transaction(
      async inTenant => {
        await locked(inTenant, reservationId); // first: who has the lock may be ending the saga at this moment
        const saga = await findOpenSaga(inTenant, sagaId);
        return accepted(undefined, saga === undefined ? [] : await overdue[saga.kind](inTenant, saga, due));
      },
      { tenantId },
    );
  });
}

/** What happens when the time of a saga is over. */
const overdue = {
  booking: endOverdueHold,
  check_in: endOverdueCheckIn,
  check_out: endOverdueCheckOut,
  date_change: endOverdueDateChange,
} as const;

async function dueSagas({ db, now, actor }: Pick<Sweeper, 'db' | 'now' | 'actor'>, most: number) {
  const found = await systemTransaction(db, { actor }, ({ tx }) =>
    rows<{ tenant_id: string; saga_id: string; kind: string; reservation_id: string }>(
      tx,
      sql`select tenant_id, saga_id, kind, reservation_id from reservation.due_sagas(${now}, ${most})`,
    ),
  );
  return found.map(row => ({
    tenantId: parseTenantId(row.tenant_id),
    sagaId: row.saga_id,
    kind: row.kind,
    reservationId: idFromUuid('rsv', row.reservation_id),
  }));
}

/** Everything that runs by itself. */
export function schedules(ask: Ask): readonly Schedule[] {
  return [every('5s', sweepDeadlines(ask))];
}
