import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Batch, Lanes } from './lanes.ts';

type Message = { off: number; tenantId: string; shard: number; key: string };
type Limits = { concurrency: number; maxBatch: number; mostPerTenant: number };

const limits: fc.Arbitrary<Limits> = fc.record({
  concurrency: fc.integer({ min: 1, max: 5 }),
  maxBatch: fc.integer({ min: 1, max: 4 }),
  mostPerTenant: fc.integer({ min: 1, max: 8 }),
});

const step = fc.oneof(
  fc.record({ kind: fc.constant('publish' as const), of: fc.nat(11), count: fc.nat(12), hole: fc.nat(2) }),
  fc.record({ kind: fc.constant('read' as const), most: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ kind: fc.constant('refill' as const), most: fc.integer({ min: 1, max: 9 }) }),
  fc.record({
    kind: fc.constant('take' as const),
    together: fc.nat(6),
    most: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ kind: fc.constant('finish' as const), which: fc.nat(9), kept: fc.nat(3) }),
  fc.record({ kind: fc.constant('pause' as const), of: fc.nat(2) }),
  fc.record({ kind: fc.constant('resume' as const), of: fc.nat(2) }),
  fc.record({ kind: fc.constant('startRefill' as const), most: fc.integer({ min: 1, max: 9 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A log, a reader and workers around the lanes, and what they must never see. */
class World {
  readonly limits: Limits;
  readonly lanes: Lanes<Message>;
  readonly log: Message[] = [];
  readonly done = new Set<Message>();
  readonly running: Batch<Message>[] = [];
  /** Tenants with a message in the lanes and none in work → how often each other tenant had its turn since. */
  readonly waitingSince = new Map<string, Map<string, number>>();
  readonly paused = new Set<string>();
  /** A reading of spilled tenants that is on its way. */
  arriving: (() => void)[] = [];
  scanned = 0;

  constructor(given: Limits) {
    this.limits = given;
    this.lanes = new Lanes<Message>({ ...given, isPaused: tenantId => this.paused.has(tenantId) });
  }

  apply(what: Step): void {
    if (what.kind === 'publish')
      for (let n = 0; n < what.count; n++) this.publish(what.of + (n % 4) * 3, what.hole);
    else if (what.kind === 'read') this.read(what.most);
    else if (what.kind === 'refill') this.refill(what.most);
    else if (what.kind === 'startRefill') this.startRefill(what.most);
    else if (what.kind === 'take') this.take(what);
    else if (what.kind === 'pause') this.pause(`tenant-${what.of}`);
    else if (what.kind === 'resume') this.resume(`tenant-${what.of}`);
    else this.finish(what.which, what.kept);
  }

  publish(of: number, hole: number): void {
    const tenantId = `tenant-${of % 3}`;
    const key = `${tenantId}:${of % 4}`;
    const off = (this.log.at(-1)?.off ?? 0) + 1 + hole;
    this.log.push({ off, tenantId, key, shard: of % 4 });
  }

  /** The main reader; of tenants that are spilled it does not even read the messages. */
  read(most: number): void {
    for (const message of this.log.filter(({ off }) => off > this.scanned).slice(0, most)) {
      if (this.lanes.spilled().includes(message.tenantId)) this.lanes.spill(message.tenantId, message.off);
      else this.lanes.add(message);
      this.scanned = message.off;
    }
    this.noteWaiting();
  }

  refill(most: number): void {
    this.startRefill(most);
    for (const arrive of this.arriving.splice(0)) arrive();
    this.noteWaiting();
  }

  /** It arrives with the next refill, whatever happened to its tenants meanwhile; there is one reading at a time. */
  startRefill(most: number): void {
    if (this.arriving.length > 0) return;
    for (const hungry of this.lanes.hungry()) {
      const { tenantId, after } = hungry;
      expect(this.paused.has(tenantId)).toBe(false);
      const all = this.log.filter(
        one => one.tenantId === tenantId && one.off > after && one.off <= this.scanned,
      );
      const page = all.slice(0, most);
      const upTo = page.length < most ? this.scanned : (page.at(-1) as Message).off;
      this.arriving.push(() => this.lanes.refill(hungry, page, { upTo, scanned: this.scanned }));
    }
  }

  pause(tenantId: string): void {
    this.paused.add(tenantId);
    this.lanes.setAside(tenantId);
    this.noteWaiting();
  }

  resume(tenantId: string): void {
    this.paused.delete(tenantId);
    this.noteWaiting();
  }

  take({ few = 0, together = 0, most = 10 } = {}): Batch<Message> | undefined {
    const batch = this.lanes.take({ few, together, most });
    if (batch === undefined) return undefined;
    const { items, tenantId } = batch;
    expect(this.paused.has(tenantId)).toBe(false);
    expect(items[0]).toBe(this.waitsLongest(tenantId));
    const lanes = new Set(items.map(({ shard }) => shard % Math.min(this.limits.concurrency, 16)));
    if (lanes.size > 1) expect(items.length).toBeLessThanOrEqual(Math.max(few, together));
    expect(items.length).toBeGreaterThan(0);
    expect(items.length).toBeLessThanOrEqual(Math.min(this.limits.maxBatch, most));
    expect(items.every(item => item.tenantId === tenantId)).toBe(true);
    for (const item of items) {
      expect(this.done.has(item), `${item.off} was done already`).toBe(false);
      this.expectItsTurn(item, items);
    }
    this.running.push(batch);
    expect(this.running.length).toBeLessThanOrEqual(this.limits.concurrency);
    this.expectFairTurn(tenantId);
    return batch;
  }

  finish(which: number, kept: number): void {
    if (this.running.length === 0) return;
    const [batch] = this.running.splice(which % this.running.length, 1) as [Batch<Message>];
    const stay = Math.min(kept, batch.items.length);
    for (const item of batch.items.slice(0, batch.items.length - stay)) this.done.add(item);
    this.lanes.finish(batch, stay);
    this.noteWaiting();
  }

  /** The oldest message of a tenant that may be worked on. */
  waitsLongest(tenantId: string): Message | undefined {
    const lane = ({ shard }: Message) => shard % Math.min(this.limits.concurrency, 16);
    const running = this.running.filter(one => one.tenantId === tenantId).flatMap(({ items }) => items);
    const busy = new Set(running.map(lane));
    return this.open.find(one => one.tenantId === tenantId && !busy.has(lane(one)));
  }

  /** Every older message of its key is done, or before it in the same batch; and nobody else works on its key. */
  expectItsTurn(item: Message, batch: readonly Message[]): void {
    const before = batch.slice(0, batch.indexOf(item));
    const older = this.log.filter(({ key, off }) => key === item.key && off < item.off);
    expect(older.filter(one => !this.done.has(one) && !before.includes(one))).toEqual([]);
    expect(this.running.some(({ items }) => items.some(({ key }) => key === item.key))).toBe(false);
  }

  expectFairTurn(tenantId: string): void {
    this.waitingSince.delete(tenantId);
    for (const [waiting, turns] of this.waitingSince) {
      const had = (turns.get(tenantId) ?? 0) + 1;
      turns.set(tenantId, had);
      expect(had, `${tenantId} had two turns while ${waiting} waited`).toBe(1);
    }
  }

  noteWaiting(): void {
    const busy = new Set(this.running.map(({ tenantId }) => tenantId));
    for (const tenantId of ['tenant-0', 'tenant-1', 'tenant-2']) {
      if (busy.has(tenantId) || this.paused.has(tenantId) || !this.isHeld(tenantId))
        this.waitingSince.delete(tenantId);
      else if (!this.waitingSince.has(tenantId)) this.waitingSince.set(tenantId, new Map());
    }
  }

  /** Whether the lanes have a message of this tenant: its oldest open one, unless that was spilled. */
  isHeld(tenantId: string): boolean {
    const oldest = this.open.find(one => one.tenantId === tenantId);
    const spilled = this.spilledFrom.get(tenantId);
    return oldest !== undefined && (spilled === undefined || oldest.off <= spilled);
  }

  get spilledFrom(): Map<string, number> {
    const all = new Map<string, number>();
    for (const { tenantId, after } of this.lanes.hungry()) all.set(tenantId, after);
    return all;
  }

  /** Read and not done. */
  get open(): Message[] {
    return this.log.filter(message => message.off <= this.scanned && !this.done.has(message));
  }

  expectSound(): void {
    const [oldest] = this.open;
    expect(this.lanes.lowWater(this.scanned)).toBeLessThan(oldest?.off ?? Number.POSITIVE_INFINITY);
    expect(this.lanes.inFlight).toBe(this.running.length);
    if (this.running.length === 0 && this.paused.size === 3) expect(this.lanes.held).toBe(0);
  }

  /** Nobody publishes any more, and nobody pauses: everything must come out, once. */
  drain(): void {
    this.paused.clear();
    for (let rounds = 0; this.done.size < this.log.length; rounds++) {
      expect(rounds, 'no end in sight').toBeLessThan(10 * (this.log.length + 2));
      this.read(5);
      this.refill(5);
      while (this.take() !== undefined);
      while (this.running.length > 0) this.finish(0, 0);
      this.expectSound();
    }
    this.refill(5); // a page that was just full says nothing about what comes after it
    expect(this.lanes.held).toBe(0);
    expect(this.lanes.lowWater(this.scanned)).toBe(this.scanned);
    expect(this.lanes.hungry()).toEqual([]);
  }
}

function play(given: Limits, steps: readonly Step[]): World {
  const world = new World(given);
  for (const what of steps) {
    world.apply(what);
    world.expectSound();
  }
  return world;
}

const runs = { numRuns: 400 };
const steps = fc.array(step, { maxLength: 120 });

describe('lanes, whatever happens in whatever order', () => {
  test('ORD-02: a key keeps its order, one batch at a time; nothing is lost, done twice or passed by the low water', () => {
    fc.assert(
      fc.property(limits, steps, (given, what) => {
        play(given, what).drain();
      }),
      runs,
    );
  });

  test('with more than one slot no tenant has them all, and a free slot is never refused to somebody who waits', () => {
    fc.assert(
      fc.property(limits, steps, (given, what) => {
        const world = play({ ...given, mostPerTenant: 1_000 }, what);
        world.paused.clear();
        for (const most of [1_000, 1_000]) world.refill(most); // the first may be one that was on its way
        while (world.take() !== undefined);
        const slots = Object.groupBy(world.running, ({ tenantId }) => tenantId);
        for (const batches of Object.values(slots))
          if (given.concurrency > 1) expect(batches?.length).toBeLessThan(given.concurrency);
        const idle = world.open.filter(({ tenantId }) => slots[tenantId] === undefined);
        if (idle.length > 0) expect(world.running.length).toBe(given.concurrency);
      }),
      runs,
    );
  });

  test('ORD-04: a flood costs another tenant one batch per slot, however long the flood is', () => {
    fc.assert(
      fc.property(limits, fc.integer({ min: 1, max: 300 }), (given, flood) => {
        const world = new World(given);
        for (let n = 0; n < flood; n++) world.publish(3 * n, 0); // all of tenant-0
        world.publish(1, 0); // tenant-1
        world.read(flood + 1);
        let before = 0;
        while (!world.log.slice(-1).every(one => world.done.has(one))) {
          const batch = world.take();
          if (batch === undefined) world.finish(0, 0);
          else if (batch.tenantId === 'tenant-0') before++;
          else world.finish(world.running.length - 1, 0);
        }
        expect(before).toBeLessThanOrEqual(given.concurrency);
      }),
      runs,
    );
  });
});

test('a flood keeps its share in memory and no more; the rest is asked for when a quarter of it is done', () => {
  const lanes = new Lanes<Message>({ concurrency: 1, maxBatch: 5, mostPerTenant: 20 });
  const flood = Array.from({ length: 100 }, (_, n) => ({ off: n + 1, tenantId: 'a', shard: 0, key: 'a:1' }));
  for (const message of flood) lanes.add(message);
  expect(lanes.held).toBe(20);
  expect(lanes.spilled()).toEqual(['a']);
  expect(lanes.hungry()).toEqual([]);
  lanes.finish(lanes.take() as Batch<Message>);
  expect(lanes.hungry()).toEqual([{ tenantId: 'a', after: 20 }]);
  expect(lanes.lowWater(100)).toBe(5);
});

test('ORD-04: among others a flood has one small batch at a time, and is told as one; alone it has what it wants', () => {
  const lanes = new Lanes<Message>({ concurrency: 4, maxBatch: 12, mostPerTenant: 100 });
  for (let n = 0; n < 80; n++) lanes.add({ off: n + 1, tenantId: 'a', shard: n % 4, key: `a:${n % 4}` });
  const alone = lanes.take() as Batch<Message>;
  expect(alone).toMatchObject({ tenantId: 'a', isFlood: false });
  expect(alone.items).toHaveLength(12);
  lanes.finish(alone);

  lanes.add({ off: 81, tenantId: 'b', shard: 0, key: 'b:1' });
  const shared = { shared: true };
  const batches = [lanes.take(shared), lanes.take(shared), lanes.take(shared)];
  expect(batches.map(batch => batch && [batch.tenantId, batch.items.length, batch.isFlood])).toEqual([
    ['a', 3, true],
    ['b', 1, false],
    undefined,
  ]);
});

test('a tenant whose messages are heavy keeps few of them, and is hungry again when most of those are done', () => {
  const lanes = new Lanes({ concurrency: 1, maxBatch: 1, mostPerTenant: 100, mostWeightPerTenant: 1_000 });
  const message = (off: number, size: number) => ({
    off,
    tenantId: 'a',
    shard: 0,
    envelope: 'x'.repeat(size),
  });
  for (let off = 1; off <= 10; off++) lanes.add(message(off, 300));
  expect([lanes.held, lanes.weight, lanes.spilled()]).toEqual([4, 1_200, ['a']]);
  const finishOne = () => lanes.finish(lanes.take() as Batch<Message>);
  finishOne();
  expect(lanes.hungry()).toEqual([]);
  finishOne();
  expect(lanes.hungry()).toEqual([{ tenantId: 'a', after: 4 }]);
  lanes.refill({ tenantId: 'a', after: 4 }, [message(5, 300), message(6, 300)], { upTo: 10, scanned: 10 });
  for (let left = 4; left > 0; left--) finishOne();
  expect([lanes.held, lanes.weight, lanes.spilled()]).toEqual([0, 0, []]);
});

describe('a tenant that pauses', () => {
  const message = (off: number, tenantId: string): Message => ({
    off,
    tenantId,
    shard: 0,
    key: `${tenantId}:1`,
  });

  test('X-066: is passed over and keeps its place, while all others have their turns', () => {
    const paused = new Set(['a']);
    const lanes = new Lanes<Message>({
      ...{ concurrency: 1, maxBatch: 5, mostPerTenant: Number.POSITIVE_INFINITY },
      isPaused: tenantId => paused.has(tenantId),
    });
    for (const [at, tenantId] of ['a', 'b', 'a', 'c'].entries()) lanes.add(message(at + 1, tenantId));
    const taken = () => {
      const batch = lanes.take();
      if (batch !== undefined) lanes.finish(batch);
      return batch?.items.map(({ off }) => off);
    };
    expect([taken(), lanes.lowWater(4)]).toEqual([[2], 0]);
    paused.clear();
    expect([taken(), taken(), taken()]).toEqual([[1, 3], [4], undefined]);
    expect(lanes.lowWater(4)).toBe(4);
  });

  test('X-066, ORD-04: keeps nothing in memory but what is in flight; the rest is read again, in order, when it may go on', () => {
    const paused = new Set<string>();
    const lanes = new Lanes<Message>({
      ...{ concurrency: 2, maxBatch: 5, mostPerTenant: 20 },
      isPaused: tenantId => paused.has(tenantId),
    });
    const all = Array.from({ length: 12 }, (_, at) => message(at + 1, 'a'));
    for (const one of all) lanes.add(one);
    const batch = lanes.take() as Batch<Message>;
    paused.add('a');
    lanes.setAside('a');
    expect([lanes.held, lanes.spilled(), lanes.lowWater(12)]).toEqual([5, ['a'], 0]);
    lanes.add(message(13, 'a'));
    lanes.finish(batch, 3);
    expect([lanes.held, lanes.weight, lanes.hungry(), lanes.lowWater(13)]).toEqual([0, 0, [], 2]);
    paused.clear();
    expect([lanes.take(), lanes.hungry()]).toEqual([undefined, [{ tenantId: 'a', after: 2 }]]);
    lanes.refill({ tenantId: 'a', after: 5 }, all.slice(5), { upTo: 13, scanned: 13 }); // read before it paused
    expect(lanes.held).toBe(0);
    lanes.refill({ tenantId: 'a', after: 2 }, all.slice(2), { upTo: 13, scanned: 13 });
    expect(lanes.take()?.items.map(({ off }) => off)).toEqual([3, 4, 5, 6, 7]);
  });
});
