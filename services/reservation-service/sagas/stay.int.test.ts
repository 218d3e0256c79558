import { newId, type TenantId } from '@ghasi/domain-primitives/ids';
import { holdAt } from '@ghasi/testing/failpoints';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayStatusAnswer } from '../answers.ts';
import { assignRooms } from '../commands.ts';
import {
  BookingCheckedIn,
  BookingCheckedOut,
  BookingCheckInStarted,
  BookingCheckOutStarted,
  BookingDatesChanged,
  BookingModified,
  BookingNoShow,
} from '../contract.ts';
import { type FrontOffice, later, openFrontOffice, service } from '../fixtures/front-office.ts';
import { captured, committed, newBooking } from '../fixtures/new-booking.ts';
import {
  afn,
  credentialId,
  dayClosed,
  folioClosed,
  folioId,
  folioOpened,
  keyIssued,
  keyRevoked,
  roomId,
  welcomed,
} from '../fixtures/others-say.ts';
import { sagasInflight } from '../gauges.ts';
import { type Reservation, sagaKinds, sagaOutcomes } from '../model.ts';
import { finishCheckIn, startCheckIn } from './check-in.ts';
import { startCheckOut } from './check-out.ts';

let office: FrontOffice;
beforeAll(async () => {
  office = await openFrontOffice();
});
afterAll(() => office.system.stop());

const desk = (businessDate: string, { id }: Reservation) => ({ id, businessDate });
const checkIn = (tenantId: TenantId, booking: Reservation, on = '2026-03-21') =>
  office.system.run(service, tenantId, startCheckIn, desk(on, booking));

describe('R14: check-in, each missing condition by its own name', () => {
  test('a booking that is not confirmed, one of another day, one without a room', async () => {
    const held = await office.held();
    await expect(checkIn(held.tenantId, held.booking)).rejects.toMatchObject({ code: 'NOT_CONFIRMED' });
    const { tenantId, booking } = await office.confirmed();
    await expect(checkIn(tenantId, booking, '2026-03-20')).rejects.toMatchObject({ code: 'ARRIVES_LATER' });
    await expect(checkIn(tenantId, booking)).rejects.toMatchObject({ code: 'ROOM_NOT_ASSIGNED' });
    expect(await office.said(tenantId, BookingCheckInStarted)).toEqual([]);
  });
});

describe('check-in saga', () => {
  test('SAGA-35..38, X-112: folio, key and welcome in any order let the guest in; a folio from before counts', async () => {
    const { tenantId, booking } = await office.arriving();
    await office.tell(tenantId, folioOpened(booking));
    await checkIn(tenantId, booking);
    await office.tell(tenantId, welcomed(booking));
    expect((await office.now({ tenantId, booking })).status).toBe('confirmed');
    await office.tell(tenantId, keyIssued(booking));
    expect((await office.now({ tenantId, booking })).status).toBe('checked_in');
    expect(await office.said(tenantId, BookingCheckedIn)).toMatchObject([
      { folioId, keyCredentialIds: [credentialId], afterPartial: false, businessDate: '2026-03-21' },
    ]);
    expect(await office.sagas(tenantId)).toContainEqual(
      expect.objectContaining({ kind: 'check_in', outcome: 'success' }),
    );
  });

  test('SAGA-39..41, OBS-29, X-125: past 30 s it is partial and counted, stays so when the rest arrives, and a person finishes it', async () => {
    const { tenantId, booking } = await office.arriving();
    await office.tell(tenantId, folioOpened(booking), welcomed(booking));
    await checkIn(tenantId, booking);
    const counted = async () =>
      Number(
        /^melmastoon_check_in_partial_total\{.*\} (\d+)$/m.exec(await office.system.metrics.render())?.[1] ??
          0,
      );
    const before = await counted();
    await office.sweepAt(later(new Date(), 31_000));
    expect(await counted()).toBe(before + 1);
    const partial = await office.now({ tenantId, booking });
    expect(partial.status).toBe('check_in_partial');
    const finish = () => office.system.run(service, tenantId, finishCheckIn, desk('2026-03-21', booking));
    await expect(finish()).rejects.toMatchObject({ code: 'CHECK_IN_INCOMPLETE', params: { missing: 'key' } });
    await office.tell(tenantId, keyIssued(booking));
    expect((await office.now({ tenantId, booking })).status).toBe('check_in_partial');
    await finish();
    await office.system.settled();
    expect(await office.said(tenantId, BookingCheckedIn)).toMatchObject([{ afterPartial: true }]);
  });

  test('SAGA-40: a guest who is let in at the moment of the deadline is in, and nothing is half done', async () => {
    const { tenantId, booking } = await office.arriving();
    await office.tell(tenantId, folioOpened(booking), welcomed(booking));
    await checkIn(tenantId, booking);
    const letIn = holdAt('saga.check_in.end');
    await office.system.publish(tenantId, [keyIssued(booking)]);
    await letIn.reached; // the saga has ended, and nobody else can see it yet
    const sweep = office.sweepAt(later(new Date(), 31_000));
    await waitUntil('the sweep waits for the booking', async () => {
      const waiting = await office.system.query(
        'reservation',
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    letIn.release();
    await sweep;
    await office.system.settled();
    expect((await office.now({ tenantId, booking })).status).toBe('checked_in');
  });

  test('started twice, it starts once', async () => {
    const { tenantId, booking } = await office.arriving();
    await checkIn(tenantId, booking);
    await checkIn(tenantId, booking);
    await office.system.settled();
    expect(await office.said(tenantId, BookingCheckInStarted)).toHaveLength(1);
  });

  test('R16: a room number is told to the others as a move from a night on, once', async () => {
    const { tenantId, booking } = await office.arriving();
    await office.system.settled();
    expect(await office.said(tenantId, BookingModified)).toMatchObject([
      {
        changes: ['room_assignment'],
        moves: [{ fromRoomId: null, toRoomId: roomId(booking), fromNight: '2026-03-21' }],
      },
    ]);
  });
});

describe('check-out saga', () => {
  /** A guest who is in the house. */
  async function inHouse(dueNow = afn(540_000)) {
    const { tenantId, booking: held } = await office.held({ dueNow: dueNow as Reservation['dueNow'] });
    await office.tell(tenantId, committed(held));
    await office.tell(tenantId, captured(held));
    const rooms = Object.fromEntries(held.rooms.map(({ bookedRoomId }) => [bookedRoomId, newId('rom')]));
    const input = { id: held.id, rooms, fromNight: held.stay.arrival };
    const booking = await office.system.run(service, tenantId, assignRooms, input);
    await checkIn(tenantId, booking);
    await office.tell(tenantId, folioOpened(booking), keyIssued(booking), welcomed(booking));
    return { tenantId, booking: await office.now({ tenantId, booking }) };
  }
  const checkOut = (tenantId: TenantId, booking: Reservation) =>
    office.system.run(service, tenantId, startCheckOut, {
      ...desk('2026-03-24', booking),
      today: '2026-03-24',
    });

  test('SAGA-42, SAGA-47: the guest has left once his folio is closed', async () => {
    const { tenantId, booking } = await inHouse();
    await checkOut(tenantId, booking);
    await office.tell(tenantId, keyRevoked(booking));
    expect((await office.now({ tenantId, booking })).status).toBe('checked_in');
    await office.tell(tenantId, folioClosed(booking));
    expect(await office.now({ tenantId, booking })).toMatchObject({
      status: 'checked_out',
      keyCredentialIds: [],
    });
    expect(await office.said(tenantId, BookingCheckOutStarted)).toMatchObject([
      { timing: 'on_time', folioId },
    ]);
    expect(await office.said(tenantId, BookingCheckedOut)).toMatchObject([
      { status: 'checked_out', balanceStatus: 'settled', balance: { amount: '0' } },
    ]);
  });

  test('SAGA-48, X-115: with a balance he leaves all the same, and is checked out again when it is paid', async () => {
    const { tenantId, booking } = await inHouse(afn(180_000));
    await checkOut(tenantId, booking);
    await office.sweepAt(later(new Date(), 61_000));
    await office.system.settled();
    expect((await office.now({ tenantId, booking })).status).toBe('checked_out_balance_pending');
    await office.tell(tenantId, folioClosed(booking, 'late_settlement'));
    expect(await office.said(tenantId, BookingCheckedOut)).toMatchObject([
      { balanceStatus: 'pending', balance: { amount: '360000' } },
      { balanceStatus: 'settled', balance: { amount: '0' } },
    ]);
    expect((await office.now({ tenantId, booking })).status).toBe('checked_out');
  });

  test('SAGA-48: a booking that is paid and a minibar that is not: he leaves with what billing says is owed', async () => {
    const { tenantId, booking } = await inHouse();
    await checkOut(tenantId, booking);
    await office.sweepAt(later(new Date(), 61_000), afn(12_000));
    await office.system.settled();
    expect(await office.said(tenantId, BookingCheckedOut)).toMatchObject([
      { status: 'checked_out_balance_pending', balance: afn(12_000) },
    ]);
  });

  test('R15: a guest who leaves early shortens his stay first, by whichever day is further on', async () => {
    const { tenantId, booking } = await inHouse();
    const leave = (businessDate: string, today: string) =>
      office.system.run(service, tenantId, startCheckOut, { ...desk(businessDate, booking), today });
    await expect(leave('2026-03-22', '2026-03-22')).rejects.toMatchObject({ code: 'SHORTEN_FIRST' });
    expect(await office.said(tenantId, BookingCheckOutStarted)).toEqual([]);
    await leave('2026-03-23', '2026-03-24'); // the hotel day lags (R1): he leaves on time
    await office.system.settled();
    expect(await office.said(tenantId, BookingCheckOutStarted)).toHaveLength(1);
  });

  test('nobody checks out who is not in', async () => {
    const { tenantId, booking } = await office.confirmed();
    await expect(checkOut(tenantId, booking)).rejects.toMatchObject({ code: 'NOT_IN_HOUSE' });
  });
});

describe('walk-in', () => {
  test('his check-in begins in the moment the rooms are his, and OBS-13 counts how both sagas ended', async () => {
    const rooms = newBooking().rooms.map(room => ({ ...room, roomId: newId('rom') }));
    const { tenantId, booking } = await office.confirmed({ rooms, arrivesOn: '2026-03-21' });
    expect(await office.said(tenantId, BookingCheckInStarted)).toMatchObject([
      { businessDate: '2026-03-21', rooms: [{ roomId: rooms[0]?.roomId }] },
    ]);
    const ended = async (saga: string) => {
      const text = await office.system.metrics.render();
      const line = new RegExp(
        `^melmastoon_saga_completed_total\\{(?=.*saga_name="${saga}")(?=.*outcome="success").*\\} (\\d+)$`,
        'm',
      );
      return Number(line.exec(text)?.[1] ?? 0);
    };
    const before = await ended('check_in');
    expect(await ended('booking')).toBeGreaterThan(0);
    await office.tell(tenantId, folioOpened(booking), keyIssued(booking), welcomed(booking));
    await office.tell(tenantId, welcomed(booking));
    expect((await office.now({ tenantId, booking })).status).toBe('checked_in');
    expect(await ended('check_in')).toBe(before + 1);
  });

  test('OBS-22: every end of every kind of saga is counted from 0 on, so that a first half-done one is an increase', async () => {
    const text = await office.system.metrics.render();
    const shown = [...text.matchAll(/^melmastoon_saga_completed_total\{(.*)\} \d+$/gm)].map(
      ([, labels = '']) =>
        ['saga_name', 'outcome'].map(name => new RegExp(`${name}="(\\w+)"`).exec(labels)?.[1]).join(' '),
    );
    const all = sagaKinds.flatMap(kind => sagaOutcomes.map(outcome => `${kind} ${outcome}`));
    expect(shown.sort()).toEqual(all.sort());
  });

  test('OBS-12: sagas under way are shown by kind', async () => {
    const open = async () => {
      const found = await sagasInflight.read(office.system.db(service));
      return found.find(({ labels }) => labels.saga_name === 'booking')?.value ?? Number.NaN;
    };
    const before = await open();
    await office.held();
    expect(await open()).toBe(before + 1);
  });
});

describe('day close', () => {
  test('R17: a guest who did not come by the close of his day is a no-show, once, and the fee is kept', async () => {
    const { tenantId, booking } = await office.confirmed();
    await office.tell(tenantId, dayClosed(booking, ['2026-03-21', '2026-03-22']));
    await office.tell(tenantId, dayClosed(booking, ['2026-03-21', '2026-03-22']));
    expect((await office.now({ tenantId, booking })).status).toBe('no_show');
    expect(await office.said(tenantId, BookingNoShow)).toMatchObject([
      { businessDate: '2026-03-21', fee: { amount: '180000' }, refund: { amount: '360000' } },
    ]);
  });

  test('R17: one who came after all is none', async () => {
    const { tenantId, booking } = await office.arriving();
    await office.tell(tenantId, folioOpened(booking), keyIssued(booking), welcomed(booking));
    await checkIn(tenantId, booking);
    await office.tell(tenantId, dayClosed(booking, ['2026-03-21', '2026-03-22']));
    expect((await office.now({ tenantId, booking })).status).toBe('checked_in');
    expect(await office.said(tenantId, BookingNoShow)).toEqual([]);
  });

  test('R2: a guest who should have left and stays on is asked another night for', async () => {
    const { tenantId, booking } = await office.arriving();
    await office.tell(tenantId, folioOpened(booking), keyIssued(booking), welcomed(booking));
    await checkIn(tenantId, booking);
    await office.tell(tenantId, dayClosed(booking, ['2026-03-24', '2026-03-25'], 'extended'));
    await office.tell(tenantId, dayClosed(booking, ['2026-03-24', '2026-03-25'], 'extended'));
    expect(await office.said(tenantId, BookingDatesChanged)).toMatchObject([
      {
        reason: 'extension',
        newStay: { arrival: '2026-03-21', departure: '2026-03-25' },
        keyWindow: { validUntil: '2026-03-25T07:30:00.000Z' },
      },
    ]);
  });

  test('R2: what stands open of a day is told by name', async () => {
    const { tenantId, booking } = await office.confirmed();
    const status = (businessDate: string) =>
      dayStatusAnswer.handle(
        {
          db: office.system.db(service),
          ask: () => Promise.reject(new Error('asks nobody')),
          log: undefined as never,
        },
        { tenantId, propertyId: booking.propertyId, businessDate },
      );
    expect(await status('2026-03-20')).toEqual({ open: [] });
    expect(await status('2026-03-21')).toEqual({
      open: [{ matter: 'arrival_not_in', reference: booking.id }],
    });
  });
});
