import { newId } from '@ghasi/domain-primitives/ids';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FolioChargePosted, FolioClosed, FolioOpened, FolioRefundPosted } from './contract.ts';
import { type House, openHouse } from './fixtures/house.ts';
import { afn, NIGHT, newStay } from './fixtures/stay.ts';

let inn: House;
beforeAll(async () => {
  inn = await openHouse();
});
afterAll(() => inn?.close());

const kinds = ({ lines }: { lines: { kind: string }[] }) => lines.map(({ kind }) => kind);

describe('X-112: one folio per reservation', () => {
  test('it opens at confirmation, once, and check-in finds it open', async () => {
    const { owner, stay, tenantId } = await inn.booked();
    await inn.tell(tenantId, stay.checkInStarted(), stay.checkedIn());
    expect(await inn.said(tenantId, FolioOpened)).toMatchObject([
      { occasion: 'confirmation', reservationId: stay.reservationId, guestId: stay.guestId, currency: 'AFN' },
    ]);
    expect(await inn.folio(owner, stay)).toMatchObject({
      ...{ status: 'open', stage: 'in_house', balance: afn(0), due: afn(0), lines: [] },
      splits: [{ split: 1, payer: 'guest', balance: afn(0) }],
    });
  });

  test('check-in opens it where confirmation did not; the nights come when that arrives', async () => {
    const { house, tenantId } = await inn.booked();
    const stay = newStay({ propertyId: house.propertyId });
    const confirmed = stay.confirmed();
    await inn.tell(tenantId, stay.checkInStarted());
    await inn.tell(tenantId, confirmed);
    expect(await inn.said(tenantId, FolioOpened)).toMatchObject([
      { occasion: 'confirmation' },
      { occasion: 'check_in', reservationId: stay.reservationId },
    ]);
    await inn.tell(tenantId, house.dayClosed('2026-03-21'));
    const owner = { tenantId, operatorId: newId('usr'), roles: ['owner'] };
    expect(kinds(await inn.folio(owner, stay))).toEqual(['room_night']);
  });

  test('money that comes before the confirmation waits for its folio; nobody hears of a hold that lapsed', async () => {
    const { house, tenantId, owner } = await inn.booked();
    const [stay, lapsed] = [
      newStay({ propertyId: house.propertyId }),
      newStay({ propertyId: house.propertyId }),
    ];
    const [paymentId, lost] = [newId('pay'), newId('pay')];
    await inn.tell(tenantId, stay.captured(paymentId, 540_000), lapsed.captured(lost, 540_000));
    expect(await inn.folio(owner, stay)).toBeUndefined();
    await inn.tell(
      tenantId,
      stay.confirmed(),
      lapsed.refunded({ paymentId: lost, minor: 540_000, captured: 540_000, reason: 'late_capture' }),
      lapsed.cancelled({ reason: 'hold_expired' }),
    );
    expect(await inn.folio(owner, stay)).toMatchObject({
      ...{ balance: afn(0), depositsHeld: afn(540_000), due: afn(-540_000) },
      deposits: [{ paymentId, amount: afn(540_000), state: 'held' }],
    });
    expect(await inn.folio(owner, lapsed)).toBeUndefined();
    expect(await inn.said(tenantId, FolioRefundPosted)).toEqual([]);
  });
});

describe('R23: a deposit is a liability and ends once', () => {
  const paid = async (minor = 540_000) => {
    const made = await inn.booked();
    const paymentId = newId('pay');
    await inn.tell(made.tenantId, made.stay.captured(paymentId, minor));
    return { ...made, paymentId };
  };
  const states = ({ deposits }: { deposits: { state: string }[] }) => deposits.map(({ state }) => state);

  test('applied at check-out: the folio is zero, closes and is checked out', async () => {
    const { owner, stay, tenantId } = await paid();
    await inn.tell(tenantId, stay.checkInStarted(), stay.checkedIn(), stay.checkOutStarted());
    const folio = await inn.folio(owner, stay);
    expect(states(folio)).toEqual(['applied']);
    expect(kinds(folio)).toEqual(['deposit', 'room_night', 'room_night', 'room_night', 'deposit_applied']);
    expect(await inn.said(tenantId, FolioClosed)).toMatchObject([
      {
        occasion: 'check_out',
        charges: afn(540_000),
        payments: afn(540_000),
        refunds: afn(0),
        businessDate: '2026-03-24',
      },
    ]);
  });

  test('forfeited for the fee of a cancellation; the rest goes back, in either order', async () => {
    for (const refundFirst of [false, true]) {
      const { owner, house, stay, tenantId, paymentId } = await paid();
      const back = { paymentId, minor: 360_000, captured: 540_000 };
      const events = [stay.cancelled({ fee: NIGHT, refund: 360_000 }), stay.refunded(back)];
      for (const event of refundFirst ? events.toReversed() : events) await inn.tell(tenantId, event);
      const folio = await inn.folio(owner, stay);
      expect(states(folio)).toEqual(['forfeited']);
      expect(folio).toMatchObject({
        status: 'open',
        balance: afn(0),
        charges: afn(NIGHT),
        refunds: afn(360_000),
      });
      // Until its day of arrival has closed it can be undone (R18).
      await inn.tell(tenantId, house.dayClosed('2026-03-21'));
      expect(await inn.said(tenantId, FolioClosed)).toMatchObject([{ occasion: 'cancellation' }]);
    }
  });

  test('refunded whole where nothing is kept, and the refund names its payment', async () => {
    const { owner, stay, tenantId, paymentId } = await paid();
    await inn.tell(tenantId, stay.cancelled({ refund: 540_000, reason: 'hold_expired' }));
    await inn.tell(tenantId, stay.refunded({ paymentId, minor: 540_000, captured: 540_000 }));
    expect(states(await inn.folio(owner, stay))).toEqual(['refunded']);
    expect(await inn.said(tenantId, FolioRefundPosted)).toMatchObject([
      { paymentId, amount: afn(540_000), reason: 'cancellation', balance: afn(0) },
    ]);
    expect(await inn.said(tenantId, FolioClosed)).toMatchObject([
      { occasion: 'cancellation', charges: afn(0), payments: afn(540_000), refunds: afn(540_000) },
    ]);
  });

  test('the database takes no second end of a deposit', async () => {
    const { stay, tenantId } = await paid();
    await inn.tell(tenantId, stay.cancelled({ fee: NIGHT }));
    const copy = `insert into billing.lines
      select (jsonb_populate_record(l, jsonb_build_object('id', gen_random_uuid(), 'position', 99,
              'kind', 'deposit_applied', 'cause', 'again'))).*
      from billing.lines l
      where l.tenant_id = $1 and l.kind = 'deposit_forfeited'`;
    await expect(inn.system.database.admin(copy, [tenantId])).rejects.toMatchObject({
      code: '23505',
      constraint: 'lines_one_end',
    });
  });

  test('R17: a no-show pays his fee; who comes in the night gets it back, and his nights are paid by what was kept', async () => {
    const { owner, house, stay, tenantId, paymentId } = await paid(NIGHT);
    await inn.tell(tenantId, house.dayClosed('2026-03-21'), stay.missed());
    expect(await inn.folio(owner, stay)).toMatchObject({ stage: 'no_show', status: 'open', balance: afn(0) });
    await inn.tell(tenantId, stay.confirmed(), stay.checkInStarted('2026-03-22'));
    const folio = await inn.folio(owner, stay);
    expect(folio).toMatchObject({
      stage: 'in_house',
      balance: afn(-NIGHT),
      deposits: [{ paymentId, state: 'forfeited' }],
    });
    expect(kinds(folio)).toEqual(['deposit', 'fee', 'deposit_forfeited', 'reversal']);
    await inn.tell(tenantId, house.dayClosed('2026-03-22'));
    expect(await inn.folio(owner, stay)).toMatchObject({ balance: afn(NIGHT) }); // two nights, one paid
  });

  test('R17: a no-show that nobody undid closes with the next day', async () => {
    const { house, stay, tenantId } = await paid(NIGHT);
    await inn.tell(tenantId, house.dayClosed('2026-03-21'), stay.missed());
    expect(await inn.said(tenantId, FolioClosed)).toEqual([]);
    await inn.tell(tenantId, house.dayClosed('2026-03-22'));
    expect(await inn.said(tenantId, FolioClosed)).toMatchObject([
      { occasion: 'no_show', charges: afn(NIGHT) },
    ]);
    expect(await inn.said(tenantId, FolioChargePosted)).toMatchObject([
      { source: { kind: 'fee', fee: 'no_show', bookedRoomId: stay.bookedRoomIds[0] } },
    ]);
  });
});

test('R18: a check-in that was taken back charges no night', async () => {
  const { owner, house, stay, tenantId } = await inn.booked();
  await inn.tell(tenantId, stay.checkInStarted(), stay.checkedIn(), stay.checkInUndone());
  await inn.tell(tenantId, house.dayClosed('2026-03-21'));
  expect(await inn.folio(owner, stay)).toMatchObject({ stage: 'expected', lines: [] });
});

test('X-116: a promise of cash is no money; what is reconciled is', async () => {
  const { owner, stay, tenantId } = await inn.booked({ rail: 'cash_pending' });
  const paymentId = newId('pay');
  await inn.tell(tenantId, stay.promised(paymentId, 540_000));
  expect(await inn.folio(owner, stay)).toMatchObject({ depositsHeld: afn(0), lines: [] });
  await inn.tell(tenantId, stay.reconciled(paymentId, 500_000, 540_000));
  expect(await inn.folio(owner, stay)).toMatchObject({
    depositsHeld: afn(500_000),
    lines: [{ kind: 'deposit', paymentId, businessDate: '2026-03-21' }],
  });
});

describe('SAGA-52, X-126: other dates', () => {
  test('a longer stay is charged at once, and its night not again when it is slept', async () => {
    const { owner, house, stay, tenantId } = await inn.booked();
    const [paymentId, more] = [newId('pay'), newId('pay')];
    await inn.tell(tenantId, stay.captured(paymentId, 540_000), stay.delta(4));
    expect(await inn.said(tenantId, FolioChargePosted)).toMatchObject([
      {
        source: { kind: 'date_change' },
        amount: { net: afn(163_636), tax: afn(16_364), gross: afn(NIGHT) },
        balance: afn(NIGHT),
      },
    ]);
    await inn.tell(tenantId, stay.captured(more, NIGHT, 'date_change'), stay.checkInStarted());
    for (const day of ['2026-03-21', '2026-03-22', '2026-03-23', '2026-03-24'])
      await inn.tell(tenantId, house.dayClosed(day));
    await inn.tell(tenantId, stay.checkOutStarted());
    expect(await inn.said(tenantId, FolioClosed)).toMatchObject([
      { charges: afn(4 * NIGHT), payments: afn(4 * NIGHT), refunds: afn(0) },
    ]);
    const { lines } = await inn.folio(owner, stay);
    expect(lines.filter(({ kind }: { kind: string }) => kind === 'room_night')).toHaveLength(4);
  });

  test('a shorter one gives back what was paid, keeps the fee, and settles when payment says so', async () => {
    const { stay, tenantId } = await inn.booked();
    const paymentId = newId('pay');
    await inn.tell(tenantId, stay.captured(paymentId, 540_000), stay.checkInStarted());
    await inn.tell(tenantId, stay.delta(2, { fee: 50_000 }));
    const [refund] = await inn.said(tenantId, FolioRefundPosted);
    expect(refund).toMatchObject({ paymentId, amount: afn(130_000), reason: 'date_change' });
    expect(await inn.said(tenantId, FolioChargePosted)).toMatchObject([
      { source: { kind: 'fee', fee: 'early_departure' }, amount: { gross: afn(50_000) } },
    ]);
    await inn.tell(tenantId, stay.checkOutStarted());
    expect(await inn.said(tenantId, FolioClosed)).toMatchObject([
      { charges: afn(410_000), payments: afn(540_000), refunds: afn(130_000) },
    ]);
    // The first try failed and was sent again under another name, after the folio had closed.
    const again = { paymentId, minor: 130_000, captured: 540_000, reason: 'date_change' };
    await inn.tell(tenantId, stay.refunded(again));
    expect(await inn.said(tenantId, FolioRefundPosted)).toHaveLength(1);
    const sums = await inn.system.query<{ account: string; amount: bigint }>(
      'billing',
      `select account, sum(amount)::bigint as amount from entries where tenant_id = $1
       group by account having sum(amount) <> 0 order by account`,
      [tenantId],
    );
    expect(sums.map(({ account, amount }) => [account, amount])).toEqual([
      ['money:card', 410_000n],
      ['revenue:fees', -50_000n],
      ['revenue:rooms', -327_272n],
      ['tax:TAX', -32_728n],
    ]);
  });

  test('who has not paid gets nothing back; a longer and again shorter stay costs what it did', async () => {
    const { owner, stay, tenantId } = await inn.booked();
    await inn.tell(tenantId, stay.delta(5));
    await inn.tell(tenantId, stay.delta(3));
    expect(await inn.said(tenantId, FolioRefundPosted)).toEqual([]);
    expect(await inn.folio(owner, stay)).toMatchObject({ balance: afn(0) });
    await inn.tell(tenantId, stay.checkInStarted(), stay.checkOutStarted());
    expect(await inn.folio(owner, stay)).toMatchObject({ balance: afn(3 * NIGHT), status: 'open' });
  });

  test('X-088, ORD-13: a change that overtakes the one before it is held back until that has come', async () => {
    const { owner, stay, tenantId } = await inn.booked();
    const [first, second] = [stay.delta(4), stay.delta(6)];
    await inn.system.publish(tenantId, [second as never]);
    await waitUntil('the second is held back', async () => {
      const waiting = `select from inbox where tenant_id = $1 and last_error like '%has not been heard of yet'`;
      return (await inn.system.query('billing', waiting, [tenantId])).length === 1;
    });
    await inn.tell(tenantId, first);
    await waitUntil('both changes are posted', async () => {
      const { balance } = await inn.folio(owner, stay);
      return balance.amount === String(3 * NIGHT);
    });
  });
});
