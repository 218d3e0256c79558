import { accepted } from '@ghasi/db/accepted';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { newId, type TenantId } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelReservation, confirmReservation, draftReservation } from './commands.ts';
import { type FrontOffice, later, openFrontOffice, service } from './fixtures/front-office.ts';
import * as says from './fixtures/new-booking.ts';
import * as others from './fixtures/others-say.ts';
import { follow, onPaper, type Paper, type Signal, signals } from './fixtures/saga-model.ts';
import type { Reservation } from './model.ts';
import { findReservation } from './queries.ts';
import { finishCheckIn, startCheckIn } from './sagas/check-in.ts';
import { startCheckOut } from './sagas/check-out.ts';
import { changeDates } from './sagas/date-change.ts';
import { takeBackCheckIn, undoCancellation, undoNoShow } from './undo.ts';

// CI runs 600 sequences; a longer run asks for 20000.
const numRuns = Number(process.env.MELM_MODEL_RUNS ?? 600);
const ARRIVAL = '2026-03-21';
const DEPARTURE = '2026-03-24';

let office: FrontOffice;
beforeAll(async () => {
  office = await openFrontOffice({ consumers: false });
});
afterAll(() => office.system.stop());

type Found = { tenantId: TenantId; booking: Reservation; asDrafted: Reservation };
const { afn } = others;

/** What a signal does to the real booking; people's commands may be refused. */
const real: Record<Signal, (found: Found) => Promise<unknown>> = {
  pay: ({ tenantId, booking }) => run(tenantId, confirmReservation, booking.id),
  'rooms committed': hear(says.committed),
  'no room': hear(says.blocked),
  'money captured': hear(says.captured, ofDraft),
  'card declined': hear(says.declined, ofDraft),
  'rooms gone at confirm': hear(says.soldMeanwhile),
  'guest cancels': ({ tenantId, booking: { id } }) =>
    run(tenantId, cancelReservation, {
      ...{ id, reason: 'guest_request' as const, deadlineKind: null },
      terms: { fee: afn(0), refund: afn(0) },
    }),
  'cancel undone': desk(undoCancellation),
  'desk checks in': desk(startCheckIn),
  'folio opened': hear(others.folioOpened),
  'key issued': hear(others.keyIssued),
  'key revoked': hear(others.keyRevoked),
  'welcome sent': hear(others.welcomed),
  'desk finishes': desk(finishCheckIn),
  'check-in undone': desk(takeBackCheckIn),
  'desk checks out': ({ tenantId, booking: { id } }) =>
    run(tenantId, startCheckOut, { id, businessDate: '2026-03-25', today: '2026-03-25' }),
  'folio closed': hear(others.folioClosed),
  'other dates': ({ tenantId, booking: { id } }) =>
    run(tenantId, changeDates, { id, reason: 'guest_request' as const, ...says.oneMoreNight }),
  'dates allocated': hear(says.reallocated, ofDraft),
  'dates refused': hear(says.longerRefused, ofDraft),
  'dates priced': hear(says.repriced, ofDraft),
  'day closes without him': hear(booking => others.dayClosed(booking, [ARRIVAL, '2026-03-22'])),
  'no-show undone': ({ tenantId, booking: { id } }) =>
    run(tenantId, undoNoShow, { id, businessDate: '2026-03-22' }),
  '31 s': () => office.sweepAt(later(new Date(), 31_000)),
  '61 s': () => office.sweepAt(later(new Date(), 61_000)),
  '601 s': () => office.sweepAt(later(new Date(), 601_000)),
};

test('M5: whatever is said to a booking, in any order, twice or late, it does what the ledger says, every saga ends and none half', async () => {
  const met = new Set<string>();
  await fc.assert(
    fc.asyncProperty(sequences, fc.boolean(), async (sequence, owes) => {
      const found = await drafted(owes);
      const paper = onPaper(owes);
      for (const signal of [...sequence, '601 s', 'folio closed'] as Signal[]) {
        found.booking = await now(found);
        if (isAboutAnother(signal, found.booking)) continue;
        const outcome = await real[signal](found).then(
          () => 'done',
          error => {
            expect(error, signal).toHaveProperty('code');
            return 'refused';
          },
        );
        expect([signal, outcome]).toEqual([signal, follow(paper, signal)]);
        expect([signal, (await now(found)).status]).toEqual([signal, paper.status]);
      }
      const sagas = await sagasOf(found);
      expect(sagas.open).toEqual([]);
      expect(sagas.ended).toEqual(paper.ended);
      for (const end of Object.keys(paper.ended)) met.add(end);
      met.add(paper.status);
    }),
    { numRuns },
  );
  expect([...met].sort()).toEqual(
    [
      ...[
        'booking compensated',
        'booking success',
        'check_in compensated',
        'check_in partial',
        'check_in success',
      ],
      ...['check_out partial', 'check_out success', 'date_change compensated', 'date_change partial'],
      ...['date_change success', 'cancelled', 'check_in_partial', 'checked_in', 'checked_out', 'confirmed'],
      ...['draft', 'no_show'],
    ].sort(),
  );
}, 600_000);

/** The ways a stay usually goes, each cut short anywhere, often near its end, and with any other signals in between. */
const booked: Signal[] = ['pay', 'rooms committed', 'money captured'];
const journeys: Signal[][] = [
  [
    ...booked,
    'desk checks in',
    'folio opened',
    'key issued',
    'welcome sent',
    'desk checks out',
    'folio closed',
  ],
  [...booked, 'other dates', 'dates allocated', 'dates priced', 'day closes without him', 'no-show undone'],
];
const far = ({ length }: Signal[]) => fc.oneof(fc.nat(length), fc.integer({ min: length - 4, max: length }));
const sequences = fc
  .tuple(
    fc.constantFrom(...journeys).chain(usual => far(usual).map(length => usual.slice(0, length))),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...signals)), { maxLength: 9 }),
  )
  .map(([usual, extra]) => {
    const sequence = [...usual];
    for (const [place, signal] of extra) sequence.splice(place % (sequence.length + 1), 0, signal);
    return sequence;
  });

async function drafted(owes: boolean): Promise<Found> {
  const tenantId = newTenantId();
  const rooms = says.newBooking().rooms.map(room => ({ ...room, roomId: newId('rom') }));
  const sale = says.newBooking({ rooms, ...(owes ? { dueNow: afn(180_000) } : {}) });
  const booking = await run(tenantId, draftReservation, sale);
  return { tenantId, booking, asDrafted: booking };
}

function run<Input, Output>(
  tenantId: TenantId,
  step: (ctx: never, input: Input) => Promise<Output>,
  input: Input,
) {
  return office.system.run(service, tenantId, step as never, input as never) as Promise<
    Output extends { value: infer Value } ? Value : Output
  >;
}

function desk(step: typeof startCheckIn) {
  return ({ tenantId, booking: { id } }: Found) => run(tenantId, step, { id, businessDate: ARRIVAL });
}

/** Says it to the reaction itself: the broker has tests of its own. Twice, as a broker may. */
function hear(
  say: (booking: Reservation) => PendingEvent,
  about: (found: Found) => Reservation = ({ booking }) => booking,
) {
  return async (found: Found) => {
    const { tenantId } = found;
    const { event, payload } = say(about(found)) as unknown as {
      event: { subject: string };
      payload: unknown;
    };
    const reactions = service.reacts.filter(one => one.event.subject === event.subject);
    expect(reactions).toHaveLength(1);
    await tenantTransaction(office.system.db(service), { tenantId, actor: testActor }, async ctx => {
      const said = await reactions[0]?.handle(ctx, payload, undefined as never);
      return accepted(undefined, Array.isArray(said) ? said : []);
    });
  };
}

/** Others answer what was asked of them at first, also when they answer late or twice. */
function ofDraft({ asDrafted }: Found): Reservation {
  return asDrafted;
}

/** The fixtures speak of one longer stay: asking for it again once it is agreed is another question. */
function isAboutAnother(signal: Signal, { stay }: Reservation): boolean {
  return signal === 'other dates' && stay.departure !== DEPARTURE;
}

function now({ tenantId, booking: { id } }: Found): Promise<Reservation> {
  return run(tenantId, ({ tx }: { tx: never }) => findReservation(tx, id), undefined as never) as never;
}

async function sagasOf({ tenantId }: Found): Promise<{ open: string[]; ended: Paper['ended'] }> {
  const rows = await office.system.query<{ kind: string; outcome: string | null }>(
    'reservation',
    'select kind, outcome from sagas where tenant_id = $1',
    [tenantId],
  );
  const ended: Paper['ended'] = {};
  for (const { kind, outcome } of rows)
    if (outcome !== null) ended[`${kind} ${outcome}`] = (ended[`${kind} ${outcome}`] ?? 0) + 1;
  return { open: rows.filter(({ outcome }) => outcome === null).map(({ kind }) => kind), ended };
}
