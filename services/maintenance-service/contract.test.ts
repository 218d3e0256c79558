import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { events, TicketClosed, TicketOpened } from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

const afn = (minor: bigint | number) => ({ amount: String(minor), currency: 'AFN' });
const minor = fc.bigInt(0n, 10n ** 9n);

describe('EVT-61..62: the events of maintenance-service', () => {
  contractConformance(events, samples);

  test('they are the two of the ledger, both warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.maintenance.ticket.opened.v1', 'warm'],
      ['melmastoon.maintenance.ticket.closed.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });

  test.each(events)('$subject has one key per version: a ticket can be opened again', event => {
    const version = fc.integer({ min: 1, max: 1_000_000 });
    const keyOf = (aggregateVersion: number) =>
      event.from(sampleOf(event) as never, { aggregateVersion }).idempotencyKey;
    fc.assert(
      fc.property(version, version, (one, other) => {
        expect(keyOf(one) === keyOf(other)).toBe(one === other);
      }),
    );
  });

  test.each(events)('$subject is about a room or an area', event => {
    const lobby = { roomId: null, area: 'lobby', block: 'none' };
    const blockless = 'blockedDays' in sampleOf(event) ? { ...lobby, blockedDays: null } : lobby;
    expect(refusalOf(event, sampleOf(event, blockless))).toBeUndefined();
    expect(refusalOf(event, sampleOf(event, { roomId: null }))).toContain('a room or an area');
    expect(refusalOf(event, sampleOf(event, { area: 'lobby' }))).toContain('a room or an area');
  });
});

test.each([
  ['none', null, undefined],
  ['out_of_service', { from: '2026-03-24', until: '2026-03-26' }, undefined],
  ['out_of_order', null, 'a block has a room and days'],
  ['none', { from: '2026-03-24', until: '2026-03-26' }, 'a block has a room and days'],
  ['out_of_order', { from: '2026-03-26', until: '2026-03-24' }, 'ends before it starts'],
])('EVT-61, R11: block %s for %o', (block, blockedDays, reason) => {
  const refusal = refusalOf(TicketOpened, sampleOf(TicketOpened, { block, blockedDays }));
  expect(refusal).toEqual(reason && expect.stringContaining(reason));
});

test('EVT-62: parts and labour make the cost', () => {
  fc.assert(
    fc.property(fc.array(minor, { maxLength: 5 }), minor, fc.bigInt(0n, 2n), (costs, labour, off) => {
      const change = {
        parts: costs.map(cost => ({ name: 'Valve', quantity: 1, cost: afn(cost) })),
        labour: { minutes: 10, cost: afn(labour) },
        cost: afn(costs.reduce((sum, cost) => sum + cost, labour + off)),
      };
      const refusal = refusalOf(TicketClosed, sampleOf(TicketClosed, change));
      expect(refusal).toEqual(off === 0n ? undefined : expect.stringContaining('do not make the cost'));
    }),
  );
});

test('EVT-62: one ticket has one currency, and one that exists', () => {
  const dollars = { cost: { amount: '105000', currency: 'USD' } };
  const nothing = { cost: { amount: '105000', currency: 'AFG' } };
  expect(refusalOf(TicketClosed, sampleOf(TicketClosed, dollars))).toContain('do not make the cost');
  expect(refusalOf(TicketClosed, sampleOf(TicketClosed, nothing))).toContain('is no currency');
});

function sampleOf({ subject }: { subject: string }, change: object = {}): Record<string, unknown> {
  return { ...samples[subject], ...change };
}
