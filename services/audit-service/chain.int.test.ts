import { payloadHash } from '@ghasi/domain-primitives/canonical-json';
import { newId, PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import { doubleDeliveryContract } from '@ghasi/testing/double-delivery';
import { newTenantId } from '@ghasi/testing/tenants';
import { ShiftOpened } from '@melmastoon/staff-service/contract';
import { RoleGranted, TenantSuspended } from '@melmastoon/tenant-service/events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { append } from './commands/append.ts';
import { chainArrivals } from './commands/chain-arrivals.ts';
import { EntryAppended } from './contract.ts';
import { clockedIn, deeds, type House, openHouse } from './fixtures/house.ts';
import { readHead } from './queries/chain.ts';
import { createAuditService } from './service.ts';
import { verifyChain } from './verify-chain.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Judges a stored chain as the verifier does. */
async function verdict(tenantId: ReturnType<typeof newTenantId>) {
  const chain = await house.chain(tenantId);
  const found = chain.map(entry => ({ entry, line: null }));
  const { position, hash } = await house.inside(tenantId, readHead);
  return verifyChain(found, { tenantId, first: 1, previousHash: null, last: { position, hash } }).findings;
}

describe('what is recorded', () => {
  test('EVT-77: an event becomes one entry: who did what to what, and the hash of what it said', async () => {
    const tenantId = newTenantId();
    const event = clockedIn();
    const [envelope] = await house.system.publish(tenantId, [event as never]);
    await house.tell(tenantId);
    const [entry, ...more] = await house.chain(tenantId);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      position: 1,
      previousHash: null,
      action: 'staff.shift.opened',
      about: { type: 'shift', id: event.payload.shiftId },
      actor: envelope?.actorId,
      eventId: envelope?.eventId,
      payloadHash: payloadHash(event.payload),
      occurredAt: envelope?.occurredAt,
    });
    expect(await house.said(tenantId, EntryAppended)).toEqual([
      {
        entryId: entry?.entryId,
        position: 1,
        action: 'staff.shift.opened',
        about: entry?.about,
        actor: entry?.actor,
        recordedEventId: envelope?.eventId,
        entryHash: entry?.entryHash,
        previousHash: null,
      },
    ]);
  });

  test('X-130: no value of an event is in the chain or in what is told of it', async () => {
    const tenantId = newTenantId();
    const operatorId = newId('usr');
    await house.tell(tenantId, clockedIn(operatorId));
    const everything = JSON.stringify([
      await house.chain(tenantId),
      await house.said(tenantId, EntryAppended),
    ]);
    expect(everything).not.toContain(operatorId);
    expect(everything).not.toContain('front_desk');
  });

  test('X-073: its own events are heard by nobody here: recording ends', async () => {
    const tenantId = newTenantId();
    await house.tell(tenantId, clockedIn(), clockedIn());
    await house.chainArrivals();
    expect(await house.chain(tenantId)).toHaveLength(2);
    const subjects = house.service.reacts.map(({ event }) => event.subject);
    expect(subjects.filter(subject => subject.startsWith('melmastoon.audit.'))).toEqual([]);
    expect(subjects).toHaveLength(4);
  });

  test('X-061: an event that is replayed after the inbox has forgotten it is recorded once', async () => {
    const tenantId = newTenantId();
    await house.tell(tenantId, clockedIn());
    const [entry] = await house.chain(tenantId);
    await house.system.query(
      'audit',
      `insert into arrivals
      select tenant_id, event_id, action, about_type, about_id, actor_type, actor_id, occurred_at, payload_hash
      from entries where tenant_id = $1`,
      [tenantId],
    );
    await house.chainArrivals();
    expect(await house.chain(tenantId)).toEqual([entry]);
    expect(
      await house.system.query('audit', 'select 1 from arrivals where tenant_id = $1', [tenantId]),
    ).toEqual([]);
    expect(await house.said(tenantId, EntryAppended)).toHaveLength(1);
  });

  test('X-027: what happens in the platform’s own tenant is recorded, and told to nobody while no list has it', async () => {
    const granted = RoleGranted.from(
      {
        ...{ membershipId: newId('mbr'), operatorId: newId('usr'), propertyIds: 'all', grantedBy: null },
        ...{ granted: ['platform_support'], roles: ['platform_support'] },
      },
      { aggregateVersion: 1 },
    );
    await house.tell(PLATFORM_TENANT_ID, granted);
    const [entry] = await house.chain(PLATFORM_TENANT_ID);
    expect(entry).toMatchObject({ action: 'tenant.role.granted', position: 1 });
    expect(await house.said(PLATFORM_TENANT_ID, EntryAppended)).toEqual([]);
  });
});

describe('one chain', () => {
  test('M12: whoever appends at the same time links to what stands there then: no gap, no fork', async () => {
    const tenantId = newTenantId();
    await house.system.publish(tenantId, Array.from({ length: 40 }, () => clockedIn()) as never);
    await house.system.settled();
    const chaining = Array.from({ length: 8 }, () =>
      house.inside(tenantId, ctx => chainArrivals(ctx, { most: 7 })),
    );
    const writing = Array.from({ length: 12 }, () =>
      house.inside(tenantId, async ctx => (await append(ctx, deeds(2))).entries.length),
    );
    await Promise.all([...chaining, ...writing]);
    const chain = await house.chain(tenantId);
    expect(chain.map(({ position }) => position)).toEqual(Array.from({ length: 64 }, (_, n) => n + 1));
    expect(await verdict(tenantId)).toEqual([]);
  });

  test('an append that is rolled back leaves no gap', async () => {
    const tenantId = newTenantId();
    await house.grow(tenantId, 2);
    const refused = house.inside(tenantId, async ctx => {
      await append(ctx, deeds(3));
      throw new Error('changed my mind');
    });
    await expect(refused).rejects.toThrow('changed my mind');
    await house.grow(tenantId, 1);
    expect((await house.chain(tenantId)).map(({ position }) => position)).toEqual([1, 2, 3]);
    expect(await verdict(tenantId)).toEqual([]);
  });

  test('chains of tenants know nothing of each other', async () => {
    const [a, b] = [newTenantId(), newTenantId()];
    await house.tell(a, clockedIn());
    await house.tell(b, clockedIn());
    const [chainA, chainB] = [await house.chain(a), await house.chain(b)];
    expect([...chainA, ...chainB].map(({ position, tenantId }) => [position, tenantId])).toEqual([
      [1, a],
      [1, b],
    ]);
  });

  test('a flood is linked in several transactions, in the order it happened', async () => {
    const tenantId = newTenantId();
    await house.system.query(
      'audit',
      `insert into arrivals
       select $1, ('0193de70-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'staff.shift.opened', 'shift', n::text, 'system', 'test',
              timestamptz '2026-03-21T00:00:00Z' + n * interval '1 second', repeat('0', 64)
       from generate_series(1, 1203) n`,
      [tenantId],
    );
    await house.chainArrivals();
    const chain = await house.chain(tenantId);
    expect(chain.map(({ about }) => Number(about.id))).toEqual(Array.from({ length: 1203 }, (_, n) => n + 1));
    expect(await verdict(tenantId)).toEqual([]);
  });
});

describe('INBOX-10, ORD-12, ORD-14: what it hears has one effect, however often and in whatever order it arrives', () => {
  doubleDeliveryContract([createAuditService({ events: [ShiftOpened, TenantSuspended] })], {
    [ShiftOpened.subject]: clockedIn().payload,
    [TenantSuspended.subject]: {
      tenantId: newTenantId(),
      reason: 'billing_failure',
      staffLockedOut: false,
    },
  });
});
