import { instantAt, parseZone } from '@ghasi/domain-primitives/zone';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { channels, templates } from './contract.ts';
import {
  afterQuiet,
  assertNext,
  type Channel,
  cancelTemplate,
  chooseChannels,
  isDue,
  isGivenAtDesk,
  type MessageStatus,
  type Modes,
  messageStatuses,
  nextStatuses,
  nextTry,
  phoneModes,
  priorityOf,
  type Said,
  settle,
  usefulForMs,
} from './model.ts';

const at = new Date('2026-03-21T09:31:12.000Z');
const accepted: Said = { attempt: 1, state: 'accepted', reference: 'r' };
const delivered: Said = { attempt: 1, state: 'delivered', reference: 'r', at };
const refused: Said = { attempt: 1, state: 'refused', reason: 'blocked', permanent: true };

/** The message after everything that was said, and what others were told on the way. */
function after(all: readonly Said[], begin: MessageStatus = 'sending') {
  let now = { status: begin, attempt: 1, isDispatched: begin === 'dispatched' };
  const told: string[] = [];
  for (const said of all) {
    const outcome = settle(now, said);
    if (outcome.kind === 'unchanged') continue;
    assertNext(now.status, outcome.kind);
    if (outcome.kind === 'delivered' && outcome.first) told.push('dispatched');
    told.push(outcome.kind);
    now = { ...now, status: outcome.kind, isDispatched: now.isDispatched || outcome.kind !== 'bounced' };
  }
  return { status: now.status, told };
}

describe('what providers say', () => {
  test('in any order and however often: arrived outranks refused, refused outranks accepted', () => {
    const said = fc.constantFrom(accepted, delivered, refused);
    fc.assert(
      fc.property(fc.array(said, { minLength: 1, maxLength: 12 }), all => {
        const strongest = all.includes(delivered)
          ? 'delivered'
          : all.includes(refused)
            ? 'bounced'
            : 'dispatched';
        const { status, told } = after(all);
        expect(status).toBe(strongest);
        expect(new Set(told).size).toBe(told.length);
        if (told.includes('delivered'))
          expect(told.indexOf('dispatched')).toBeLessThan(told.indexOf('delivered'));
      }),
      { numRuns: 300 },
    );
  });

  test('a refusal or acceptance of an earlier try says nothing about this one; an arrival does', () => {
    const second = { status: 'sending', attempt: 2, isDispatched: false } as const;
    expect(settle(second, refused)).toEqual({ kind: 'unchanged' });
    expect(settle(second, accepted)).toEqual({ kind: 'unchanged' });
    expect(settle(second, delivered)).toMatchObject({ kind: 'delivered', first: true });
  });

  test.each(['delivered', 'unreachable', 'queued'] as const)('nothing is said about what is %s', status => {
    for (const said of [accepted, delivered, refused])
      expect(settle({ status, attempt: 1, isDispatched: true }, said)).toEqual({ kind: 'unchanged' });
  });

  test('every state but the first ones can be reached, and only by the table', () => {
    const reached = new Set(Object.values(nextStatuses).flat());
    expect(messageStatuses.filter(one => !reached.has(one))).toEqual(['queued', 'unreachable']);
    expect(() => assertNext('delivered', 'sending')).toThrow('cannot become');
    expect(() => assertNext('queued', 'delivered')).toThrow('cannot become');
  });
});

const modes: Modes = { email: 'always', sms: 'without_email', whatsapp: 'off' };
const ask = (more: Partial<Parameters<typeof chooseChannels>[0]>) =>
  chooseChannels({ template: 'welcome', modes, reachable: [...channels], tried: [], wanted: null, ...more });

describe('which channels', () => {
  test('e-mail where there is one', () => expect(ask({})).toEqual(['email']));

  test('phone first: a guest without e-mail gets an SMS', () => {
    expect(ask({ reachable: ['sms', 'whatsapp', 'printed'] })).toEqual(['sms']);
  });

  test('SAGA-21: all of them, where the house wants that', () => {
    const all: Modes = { email: 'always', sms: 'always', whatsapp: 'always' };
    expect(ask({ modes: all })).toEqual(['email', 'sms', 'whatsapp']);
  });

  test('after a bounce what is left, and paper only for what is given at the desk', () => {
    expect(ask({ tried: ['email'] })).toEqual(['sms']);
    expect(ask({ tried: ['email', 'sms'] })).toEqual(['printed']);
    expect(ask({ tried: ['email', 'sms'], template: 'booking_confirmed' })).toEqual([]);
    expect(ask({ tried: ['email', 'sms', 'printed'] })).toEqual([]);
  });

  test('what the desk asks for, or nothing', () => {
    expect(ask({ wanted: 'whatsapp' })).toEqual(['whatsapp']);
    expect(ask({ wanted: 'whatsapp', reachable: ['email'] })).toEqual([]);
  });

  test('never one that cannot reach, was tried or is switched off; something, if anything is on', () => {
    const some = <T>(list: readonly T[]) => fc.subarray([...list]);
    const anyModes = fc.record({
      email: fc.constantFrom('always' as const, 'off' as const),
      sms: fc.constantFrom(...phoneModes),
      whatsapp: fc.constantFrom(...phoneModes),
    });
    fc.assert(
      fc.property(
        ...[some(channels), some(channels), anyModes, fc.constantFrom(...templates)],
        (reachable, tried, chosenModes, template) => {
          const chosen = ask({ reachable, tried, modes: chosenModes, template });
          const on = (one: Channel) => one !== 'printed' && chosenModes[one] !== 'off';
          const usable = reachable.filter(one => !tried.includes(one));
          for (const one of chosen) {
            expect(usable).toContain(one);
            expect(on(one) || (one === 'printed' && isGivenAtDesk(template))).toBe(true);
          }
          expect(chosen.length > 0).toBe(
            usable.some(on) || (usable.includes('printed') && isGivenAtDesk(template)),
          );
          if (chosen.includes('printed')) expect(chosen).toEqual(['printed']);
        },
      ),
      { numRuns: 300 },
    );
  });
});

test.each([
  ['hold_expired', 'hold_expired'],
  ['payment_failed', 'payment_failed'],
  ['guest_request', 'booking_cancelled'],
  ['operator_request', 'booking_cancelled'],
] as const)('X-122: a booking that ended by %s is told as %s', (reason, template) => {
  expect(cancelTemplate(reason)).toBe(template);
});

describe('time', () => {
  const kabul = parseZone('Asia/Kabul');
  const night = { from: '21:00', until: '09:00' };
  const wall = (date: string, time: string) => instantAt(kabul, date as never, time);

  test.each([
    ['by day it is now', wall('2026-03-24', '11:10'), wall('2026-03-24', '11:10')],
    ['at nine it is over', wall('2026-03-24', '09:00'), wall('2026-03-24', '09:00')],
    ['before midnight it is tomorrow', wall('2026-03-24', '21:00'), wall('2026-03-25', '09:00')],
    ['after midnight it is today', wall('2026-03-24', '03:30'), wall('2026-03-24', '09:00')],
  ])('R3: quiet hours are those of the house in Kabul: %s', (_what, moment, expected) => {
    expect(afterQuiet(night, kabul, moment)).toEqual(expected);
  });

  test('quiet hours that do not cross midnight, and none at all', () => {
    const siesta = { from: '12:00', until: '14:00' };
    expect(afterQuiet(siesta, kabul, wall('2026-03-24', '13:00'))).toEqual(wall('2026-03-24', '14:00'));
    const none = { from: '00:00', until: '00:00' };
    expect(afterQuiet(none, kabul, wall('2026-03-24', '00:00'))).toEqual(wall('2026-03-24', '00:00'));
  });

  test('a moment after quiet hours is never quiet and never earlier', () => {
    const minute = fc.integer({ min: 0, max: 1_439 });
    const text = (of: number) => new Date(of * 60_000).toISOString().slice(11, 16);
    fc.assert(
      fc.property(minute, minute, fc.integer({ min: 0, max: 10_000_000 }), (from, until, offset) => {
        const quiet = { from: text(from), until: text(until) };
        const moment = new Date(Date.UTC(2026, 2, 21) + offset * 1_000);
        const later = afterQuiet(quiet, kabul, moment);
        expect(later.getTime()).toBeGreaterThanOrEqual(moment.getTime());
        expect(afterQuiet(quiet, kabul, later)).toEqual(later);
      }),
      { numRuns: 200 },
    );
  });

  test('tries follow soon at first and never more than a quarter of an hour apart', () => {
    const waits = [1, 2, 3, 4, 9, 40].map(calls => nextTry(calls, at).getTime() - at.getTime());
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 512_000, 900_000]);
    expect(isDue(null, at)).toBe(false);
    expect(isDue(new Date(at.getTime() + 1_001), at)).toBe(false);
    expect(isDue(new Date(at.getTime() + 999), at)).toBe(true);
  });

  test('SAGA-35: a check-in waits 30 s, so its welcome goes before everything else', () => {
    for (const template of templates) {
      expect(priorityOf(template)).toBeLessThanOrEqual(priorityOf('welcome'));
      expect(usefulForMs[template]).toBeGreaterThan(30_000);
    }
  });
});
