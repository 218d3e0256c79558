import { newTenantId } from '@ghasi/testing/tenants';
import { expect, test } from 'vitest';
import { arrivalTickets, TICKET_MS } from './arrival-ticket.ts';
import { fingerprintOf } from './handoff.ts';

const now = new Date('2026-03-21T08:00:00Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const tenantId = newTenantId();
const fingerprint = fingerprintOf('some signature');
const tickets = arrivalTickets('a key of ours');
const { ticket, expiresAt } = tickets.issue(tenantId, fingerprint, { now, handoffEnds: later(1_800_000) });

test('safety-23: a ticket lives 60 seconds at most, and never longer than its handoff', () => {
  expect(TICKET_MS).toBeLessThanOrEqual(60_000);
  expect(expiresAt).toEqual(later(TICKET_MS));
  expect(tickets.read(tenantId, ticket, later(TICKET_MS - 1))).toBe(fingerprint);
  expect(() => tickets.read(tenantId, ticket, later(TICKET_MS))).toThrow('too old');
  const short = tickets.issue(tenantId, fingerprint, { now, handoffEnds: later(5_000) });
  expect(short.expiresAt).toEqual(later(5_000));
});

test('safety-23: it is for one tenant, and flipping any one byte fails', () => {
  expect(() => tickets.read(newTenantId(), ticket, now)).toThrow('not made for this hotel');
  expect(() => arrivalTickets('another key').read(tenantId, ticket, now)).toThrow('not made for this hotel');
  for (let place = 0; place < ticket.length; place += 1) {
    const flipped = `${ticket.slice(0, place)}${ticket[place] === 'x' ? 'y' : 'x'}${ticket.slice(place + 1)}`;
    expect(() => tickets.read(tenantId, flipped, now)).toThrow('not made for this hotel');
  }
  for (const none of ['', '..', `${fingerprint}..`])
    expect(() => tickets.read(tenantId, none, now)).toThrow();
});
