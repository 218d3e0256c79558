import type { Reaction } from '@ghasi/backbone/reaction';
import { hours } from '@ghasi/domain-primitives/duration';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type House, openHouse } from './fixtures/house.ts';
import type { Stay } from './fixtures/stay.ts';

let house: House;
let count = 0;

/** A guest with an address of his own, in a tenant of his own. */
function arrive(guest: Parameters<House['guest']>[1] = {}) {
  count += 1;
  const tenantId = newTenantId();
  const email = guest.email === undefined ? `guest${count}@guest.example` : guest.email;
  const stay = house.guest(tenantId, { ...guest, email });
  return { tenantId, stay, email: email ?? '' };
}
type Arrived = ReturnType<typeof arrive>;

const templatesOf = async ({ tenantId, stay }: Arrived) =>
  (await house.messages(tenantId, stay)).map(({ template }) => template);

/** The wall time of the house, `HH:MM`. */
const inKabul = (moment: Date) =>
  moment.toLocaleTimeString('en-GB', { timeZone: 'Asia/Kabul', hour: '2-digit', minute: '2-digit' });

const en = { locale: 'en' } as const;
const cancel =
  (ending: Parameters<Stay['cancelled']>[0]) =>
  (stay: Stay): PendingEvent[] => [stay.cancelled(ending)];

/** Each is a guest and what happens to his booking. All happen at once; the tests look at what came of it. */
const scenes = {
  english: [en, stay => [stay.confirmed()]],
  dari: [{ locale: 'fa-AF' }, stay => [stay.confirmed({ cash: true })]],
  pashto: [{ locale: 'ps', email: null, phone: '+93 700 111 222' }, stay => [stay.confirmed()]],
  unpaid: [en, cancel({ reason: 'hold_expired', deadlineKind: 'payment' })],
  noRoom: [en, cancel({ reason: 'hold_expired' })],
  declined: [en, cancel({ reason: 'payment_failed' })],
  byGuest: [en, cancel({ reason: 'guest_request', refund: 360_000, fee: 180_000 })],
  byHouse: [en, cancel({ reason: 'operator_request' })],
  asked: [en, stay => [stay.datesChanged({ version: 6 })]],
  moved: [en, stay => [stay.datesChanged({ version: 6 }), stay.reallocated({ version: 6 })]],
  refused: [en, stay => [stay.datesChanged({ version: 7, reason: 'reallocation_failed' })]],
  numbered: [en, stay => [stay.modified({ changes: ['room_assignment'] })]],
  otherRoom: [en, stay => [stay.modified({ changes: ['room_assignment'], moved: true })]],
  changed: [en, stay => [stay.modified({ changes: ['occupancy'] })]],
  arrived: [{ locale: 'ps' }, stay => [stay.checkInStarted()]],
  left: [en, stay => [stay.checkedOut({ version: 9, balance: 11_000 }), stay.checkedOut({ version: 10 })]],
  keys: [
    en,
    stay => [stay.keyIssued(), stay.keyIssued(), stay.keyIssued(), stay.keyIssued({ reason: 'replacement' })],
  ],
} satisfies Record<string, [Parameters<House['guest']>[1], (stay: Stay) => PendingEvent[]]>;

const at = {} as Record<keyof typeof scenes, Arrived>;
beforeAll(async () => {
  house = await openHouse();
  for (const [name, [guest, events]] of Object.entries(scenes)) {
    const arrived = arrive(guest);
    at[name as keyof typeof scenes] = arrived;
    const owner = house.newPerson(['owner'], arrived.tenantId);
    if (name === 'left') await house.putSettings(owner, { quietFrom: '00:00', quietUntil: '00:00' });
    await house.system.publish(arrived.tenantId, events(arrived.stay));
  }
  await house.settle();
});
afterAll(() => house?.close());

describe('R6, SAGA-21: a confirmation by real SMTP, decoded', () => {
  test('in English it names the code, the house, the hours in Kabul time and what is paid', () => {
    const [mail, ...more] = house.mailsTo(at.english.email);
    expect(more).toEqual([]);
    expect(mail?.subject).toBe('Booking K7QMX3PD at Bala Hissar Guest House is confirmed');
    expect(mail?.headers.from).toBe('Bala Hissar Guest House <rooms@house.example>');
    expect(mail?.text).toContain('Dear Zarghuna Ahmadi,');
    expect(mail?.text).toContain('Check-in from Saturday 21 March 2026, 14:00 (Kabul time).');
    expect(mail?.text).toContain('Check-out until Tuesday 24 March 2026, 12:00 (Kabul time).');
    expect(mail?.text).toContain('Total: AFN 5,400. It is paid in full.');
    expect(mail?.html).toContain('<html lang="en" dir="ltr">');
    expect(mail?.html).toContain('<bdi>K7QMX3PD</bdi>');
  });

  test('in Dari it runs from right to left, with the Afghan date first and its digits', () => {
    const [mail] = house.mailsTo(at.dari.email);
    expect(mail?.subject).toBe('ریزرف K7QMX3PD در مهمان‌خانهٔ بالاحصار تأیید شد');
    expect(mail?.html).toContain('<html lang="fa-AF" dir="rtl">');
    expect(mail?.text).toContain('شنبه ۱ حمل ۱۴۰۵ (۲۱ مارچ ۲۰۲۶) ساعت ۱۴:۰۰ به وقت کابل');
    expect(mail?.text).toContain(
      'اتاق شما تا شنبه ۱ حمل ۱۴۰۵ (۲۱ مارچ ۲۰۲۶) ساعت ۱۸:۰۰ به وقت کابل نگه داشته می‌شود.',
    );
    expect(mail?.headers['content-language']).toBe('fa-AF');
  });

  test('in Pashto too; and a guest without e-mail gets the short text by SMS', async () => {
    const { tenantId, stay } = at.pashto;
    const [sms] = house.sms.provider.taken.filter(({ account }) => account === tenantId);
    expect(sms).toMatchObject({ to: '+93700111222' });
    expect(sms?.text).toContain('ریزرف K7QMX3PD تایید شو. کوټه له ۱ وری ۱۴۰۵، ۱۴:۰۰ بجې د کابل په وخت څخه');
    const message = { template: 'booking_confirmed', channel: 'sms', locale: 'ps', to: '…222' };
    expect(await house.messages(tenantId, stay)).toMatchObject([message]);
  });

  test('EVT-63, X-130: what is told names template, channel, language, guest and booking, and no address', async () => {
    const { tenantId, stay, email } = at.english;
    const told = await house.told(tenantId);
    expect(told).toMatchObject([
      {
        event: 'dispatched',
        payload: {
          recipient: { kind: 'guest', guestId: stay.guestId },
          reservationId: stay.reservationId,
          propertyId: stay.propertyId,
          template: 'booking_confirmed',
          channel: 'email',
          locale: 'en',
          provider: 'smtp',
          attempt: 1,
        },
      },
    ]);
    expect(JSON.stringify(told)).not.toContain(email);
  });
});

describe('what is written about which fact', () => {
  test.each([
    ['hold_expired', 'unpaid', 'the payment did not arrive in time'],
    ['hold_expired', 'noRoom', 'the house could not keep it for you'],
    ['payment_failed', 'declined', 'did not succeed, so the room is not booked'],
    ['booking_cancelled', 'byGuest', 'AFN 3,600 goes back to you. The cancellation fee is AFN 1,800.'],
    ['booking_cancelled', 'byHouse', 'Nothing is to be paid.'],
  ] as const)('X-122, SAGA-33: %s when it ended as %s', async (template, scene, words) => {
    expect(await templatesOf(at[scene])).toEqual([template]);
    expect(house.mailsTo(at[scene].email)[0]?.text).toContain(words);
  });

  test('X-117, SAGA-54: new dates are told when inventory says so, not when they are asked for', async () => {
    expect(await templatesOf(at.asked)).toEqual([]);
    expect(await templatesOf(at.moved)).toEqual(['dates_changed']);
    expect(house.mailsTo(at.moved.email)[0]?.text).toContain('to Wednesday 25 March 2026. Before, it was');
  });

  test('SAGA-56: dates that cannot be had are told, and that the booking stays; never a cancellation', async () => {
    expect(await templatesOf(at.refused)).toEqual(['dates_unavailable']);
    const [mail] = house.mailsTo(at.refused.email);
    expect(mail?.text).toContain('Saturday 21 March 2026 to Wednesday 25 March 2026, are not available');
    expect(mail?.text).toContain('stays as it was: from Saturday 21 March 2026 to Tuesday 24 March 2026.');
    expect(mail?.text).not.toContain('cancelled');
  });

  test('a room that gets its number is not worth a letter, a guest who is moved is', async () => {
    expect(await templatesOf(at.numbered)).toEqual([]);
    expect(await templatesOf(at.otherRoom)).toEqual(['booking_modified']);
    expect(house.mailsTo(at.changed.email)[0]?.text).toContain('was changed: the number of guests.');
  });

  test('SAGA-37, X-124: a check-in has its welcome dispatched, in the guest’s language', async () => {
    const { tenantId, stay, email } = at.arrived;
    expect(house.mailsTo(email)[0]?.subject).toBe('د بالاحصار مېلمستون ته ښه راغلاست');
    const [{ payload } = { payload: {} }] = await house.told(tenantId);
    expect(payload).toMatchObject({ template: 'welcome', locale: 'ps', reservationId: stay.reservationId });
  });

  test('SAGA-46, X-115: a receipt whenever the balance is told, one survey', async () => {
    expect((await templatesOf(at.left)).sort()).toEqual(['receipt', 'receipt', 'stay_survey']);
    const mails = house.mailsTo(at.left.email).map(({ text }) => text);
    for (const words of [
      'AFN 110 is still to be paid.',
      'Everything is paid.',
      'from 1 (bad) to 5 (very good)',
    ])
      expect(mails.filter(text => text.includes(words))).toHaveLength(1);
  });

  test('one word about all keys of a booking, each replacement is told, and no code is in it', async () => {
    expect(await templatesOf(at.keys)).toEqual(['key_ready', 'key_ready']);
    const [mail] = house.mailsTo(at.keys.email);
    expect(mail?.text).toContain('until Tuesday 24 March 2026, 12:00 (Kabul time)');
    expect(mail?.text).not.toContain('pwd-778');
  });

  test('a survey waits for the morning of the house, and a house may have none', async () => {
    const [waits, none] = [arrive(), arrive()];
    // Quiet for an hour past and two to come: quiet whenever this runs, also across the midnight of the house.
    const morning = new Date(Date.now() + hours(2));
    await house.putSettings(house.newPerson(['owner'], waits.tenantId), {
      quietFrom: inKabul(new Date(Date.now() - hours(1))),
      quietUntil: inKabul(morning),
    });
    await house.putSettings(house.newPerson(['owner'], none.tenantId), { surveys: false });
    await house.system.publish(waits.tenantId, [waits.stay.checkedOut()]);
    await house.tell(none.tenantId, none.stay.checkedOut());
    const list = await house.messages(waits.tenantId, waits.stay);
    const survey = list.find(({ template }) => template === 'stay_survey');
    const minute = morning.toISOString().slice(0, 16);
    expect(survey).toMatchObject({ status: 'queued', nextTryAt: expect.stringContaining(`${minute}:00`) });
    expect(await templatesOf(none)).toEqual(['receipt']);
  });
});

describe('a fact is written once', () => {
  const everything = (stay: Stay): PendingEvent[] => [
    stay.confirmed(),
    stay.reallocated(),
    stay.checkInStarted(),
    stay.keyIssued(),
    stay.cancelled(),
  ];

  test('INBOX-10: told again, also when the inbox has forgotten, nobody is written to twice', async () => {
    const { tenantId, stay, email } = arrive();
    const facts = everything(stay);
    await house.tell(tenantId, ...facts);
    const first = house.mailsTo(email).length;
    expect(first).toBe(facts.length);
    await house.tell(tenantId, ...facts);
    await house.system.database.admin('delete from notification.inbox where tenant_id = $1', [tenantId]);
    await house.tell(tenantId, ...facts);
    expect(house.mailsTo(email)).toHaveLength(first);
    expect((await house.told(tenantId)).length).toBe(first);
  });

  test('a replay of history writes to nobody: facts older than their use are passed over', async () => {
    const { tenantId, stay, email } = arrive();
    const { service, system } = house;
    for (const pending of everything(stay)) {
      const reaction = service.reacts.find(({ event }) => event === pending.event) as Reaction;
      const envelope = {
        idempotencyKey: pending.idempotencyKey,
        occurredAt: new Date(Date.now() - 30 * 86_400_000).toISOString(),
        metadata: { aggregateVersion: pending.aggregateVersion },
      };
      const outcome = await system.run(
        service,
        tenantId,
        async ctx => [await reaction.handle(ctx, pending.payload, envelope as never)],
        undefined,
      );
      expect(outcome).toEqual(['noop']);
    }
    await house.settle();
    expect(house.mailsTo(email)).toEqual([]);
    expect(await house.messages(tenantId, stay)).toEqual([]);
  });

  test('a letter about dates that hold no more is withdrawn while nobody has written it', async () => {
    const { tenantId, stay, email } = arrive();
    house.others.silent = true;
    await house.tell(tenantId, stay.reallocated({ version: 6 }));
    await house.tell(tenantId, stay.datesChanged({ version: 8 }));
    house.others.silent = false;
    await house.passTime();
    expect(house.mailsTo(email)).toEqual([]);
    const [letter] = await house.system.query(
      'notification',
      'select state, problem from letters where tenant_id = $1',
      [tenantId],
    );
    expect(letter).toEqual({ state: 'dropped', problem: 'superseded' });
  });
});

describe('whom to write to is asked when it is written', () => {
  test('while nobody answers it waits, and then goes to the address the booking has by then', async () => {
    const { tenantId, stay, email } = arrive();
    house.others.silent = true;
    await house.tell(tenantId, stay.confirmed());
    expect(await house.messages(tenantId, stay)).toEqual([]);
    house.others.silent = false;
    stay.contact.email = 'new@guest.example';
    await house.passTime();
    expect([house.mailsTo(email).length, house.mailsTo('new@guest.example').length]).toEqual([0, 1]);
  });

  test('a booking that its owner does not know yet is asked about again, and given up in the end', async () => {
    const { tenantId } = arrive();
    const unknown = house.guest(newTenantId()); // somebody else's
    await house.tell(tenantId, unknown.confirmed());
    await house.passTime();
    const state = () =>
      house.system.query('notification', 'select state, problem, tries from letters where tenant_id = $1', [
        tenantId,
      ]);
    expect(await state()).toEqual([{ state: 'waiting', problem: 'unknown_booking', tries: 2 }]);
    await house.system.database.admin(
      'update notification.letters set expires_at = now() where tenant_id = $1',
      [tenantId],
    );
    await house.passTime();
    expect(await state()).toEqual([{ state: 'dropped', problem: 'expired', tries: 3 }]);
    expect(await house.told(tenantId)).toEqual([]);
  });
});
