import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeOf, momentOf, numberOf, spanOf } from './given.ts';

test('DLQ-26: every RFC 3339 moment is read as it is meant', () => {
  expect(momentOf('--to', '2026-03-21T08:00:00Z').toISOString()).toBe('2026-03-21T08:00:00.000Z');
  expect(momentOf('--to', '2026-03-21T12:30:00.5+04:30').toISOString()).toBe('2026-03-21T08:00:00.500Z');
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }), date => {
      expect(momentOf('--to', date.toISOString())).toEqual(date);
    }),
  );
});

test.each([
  '',
  'now',
  '2026-03-21',
  '2026-03-21T08:00:00',
  '2026-13-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-03-21T25:00:00Z',
  '1742544000',
])('DLQ-26: "%s" is refused with an example', text =>
  expect(() => momentOf('--to', text)).toThrow(/^--to: ".*" is not a moment; write it like 2026-/),
);

test('DLQ-24: a span that ends before it begins is refused: what it finds, nothing, would look like good news', () => {
  const [since, until] = ['2026-03-21T08:00:00Z', '2026-03-21T09:00:00Z'];
  expect(spanOf({ since, until })).toEqual({ since: new Date(since), until: new Date(until) });
  for (const end of [since, '2026-03-21T11:00:00+04:30'])
    expect(() => spanOf({ since, until: end })).toThrow(
      /^--until: 2026-03-21T0\S+ is not after --since 2026-03-21T08:00:00\.000Z$/,
    );
});

test.each(['', '-1', '0', '1.5', '1e3', '0x10', '99999999999999999', 'ten'])(
  '"%s" is not a number of a message',
  text => expect(() => numberOf('The id', text)).toThrow('is not a whole number'),
);

test('safety-28: a change needs a reason, a dry run does not, and somebody always did it', () => {
  expect(() => changeOf({})).toThrow('--reason');
  expect(() => changeOf({ reason: '  ' })).toThrow('--reason');
  expect(changeOf({ dryRun: true })).toMatchObject({ dryRun: true });
  expect(changeOf({ reason: 'INC-1' }).actor).toMatch(/^.+@.+$/);
  expect(changeOf({ reason: 'INC-1', actor: 'nadia' })).toEqual({
    actor: 'nadia',
    reason: 'INC-1',
    dryRun: false,
  });
});
