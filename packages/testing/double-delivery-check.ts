import { createSubscriber } from '@ghasi/backbone/consumer';
import type { Service } from '@ghasi/backbone/define-service';
import { createInbox } from '@ghasi/backbone/inbox';
import type { Reaction } from '@ghasi/backbone/reaction';
import { createReader, isReadable } from '@ghasi/backbone/read-delivery';
import type { Delivery } from '@ghasi/brokers/broker';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { armFailpoint } from '@ghasi/domain-primitives/failpoint';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { PendingEvent } from '@ghasi/event-envelope/define-event';
import { createMetrics, type Metrics } from '@ghasi/telemetry/metrics';
import fc from 'fast-check';
import { comparable, difference, type Effects, effectsOf } from './double-delivery-effects.ts';
import type { System } from './system.ts';
import { deliveryOf } from './system-envelope.ts';
import { newTenantId, testActor } from './tenants.ts';

/** One reaction to be proved, with what it is given. */
export type ReactionCase = {
  readonly service: Service;
  readonly reaction: Reaction;
  readonly sample: PendingEvent;
  /** Makes what the reaction needs to find: runs as the service, for the tenant, before the event arrives. */
  readonly arrange?: (ctx: Ctx) => Promise<void>;
  /** Columns that differ from run to run for a good reason: `table.column`. */
  readonly volatile?: readonly string[];
  /** It writes nothing, e.g. it only clears a cache. Otherwise a sample without effect is a mistake. */
  readonly writesNothing?: boolean;
};

/**
 * What is wrong with a reaction that is delivered twice, in words; empty when it had one effect set each time:
 * once and again; after a failed attempt; and after a run that was rolled back when its effect was done.
 */
export async function doubleDeliveryProblems(system: System, which: ReactionCase): Promise<string[]> {
  const trial = () => new Trial(system, which);
  const plain = await trial().begin();
  const before = await effectsOf(system, which.service, plain.tenantId);
  const once = await plain.deliver();
  const again = await plain.deliver();
  const expected = comparable(once, plain.tenantId, which.volatile);

  const failedBefore = await trial().begin();
  await failedBefore.recordFailure();
  const afterFailure = await failedBefore.deliver();
  const afterFailureAgain = await failedBefore.deliver();

  const rolledBack = await trial().begin();
  const disarm = armFailpoint('consumer.after-effect', 'error', { onHit: 1 });
  const afterRollback = await rolledBack.deliver().finally(disarm);

  const compare = (what: string, from: Effects, to: Effects) => {
    const lines = difference(from, to);
    return lines.length === 0 ? [] : [`${what}:\n${lines.join('\n')}`];
  };
  const like = (found: Effects, { tenantId }: Trial) => comparable(found, tenantId, which.volatile);
  const idle = which.writesNothing !== true && difference(before, once).length === 0;
  return [
    ...(await plain.problems(1)),
    ...(idle ? ['its sample changed nothing: arrange what the reaction needs to find'] : []),
    ...compare('the second delivery changed something', once, again),
    ...(await failedBefore.problems(1)),
    ...compare('after a failed attempt it did something else', expected, like(afterFailure, failedBefore)),
    ...compare(
      'after a failed attempt, the second delivery changed something',
      afterFailure,
      afterFailureAgain,
    ),
    ...(await rolledBack.problems(0)),
    ...compare('a run that was rolled back left something', expected, like(afterRollback, rolledBack)),
  ];
}

/** One tenant to whom one event is delivered, any number of times. */
class Trial {
  readonly tenantId = newTenantId();
  readonly #system: System;
  readonly #which: ReactionCase;
  readonly #delivery: Delivery;
  readonly #subscriber;
  readonly #metrics = createMetrics();
  readonly #problems: string[] = [];

  constructor(system: System, which: ReactionCase) {
    this.#system = system;
    this.#which = which;
    this.#delivery = deliveryOf(which.sample, { tenantId: this.tenantId, signer: system.signer });
    this.#subscriber = subscriberOf({ ...system, metrics: this.#metrics }, which.service);
  }

  async begin(): Promise<this> {
    await arrange(this.#system, this.#which, this.tenantId);
    return this;
  }

  /** Delivers the event and returns all effects so far. */
  async deliver(): Promise<Effects> {
    const [outcome] = await this.#subscriber.handle([this.#delivery], undefined);
    if (outcome?.kind !== 'done') this.#problems.push(`it could not be handled: ${JSON.stringify(outcome)}`);
    return effectsOf(this.#system, this.#which.service, this.tenantId);
  }

  /** As if a handler had failed with this event: the row that outlives the rollback (INBOX-08). */
  async recordFailure(): Promise<void> {
    const { service } = this.#which;
    const read = createReader(service.name, service.reacts, this.#system).read(this.#delivery);
    if (!isReadable(read)) return void this.#problems.push(`it is unreadable: ${read.reason}`);
    const who = { tenantId: this.tenantId, actor: testActor };
    const db = this.#system.db(service);
    await createInbox(service.schema).recordFailure(db, who, read.claim, 'an attempt that failed');
  }

  /** What went wrong; `skipped` is how many deliveries should have been counted as known (INBOX-11). */
  async problems(skipped: number): Promise<string[]> {
    const counted = await skips(this.#metrics, this.#which);
    if (counted === skipped) return this.#problems;
    return [...this.#problems, `${counted} deliveries were counted as skipped, not ${skipped}`];
  }
}

/** What a permutation is made of. */
export type OrderCase = {
  readonly service: Service;
  readonly samples: readonly PendingEvent[];
  readonly arrange?: (ctx: Ctx) => Promise<void>;
  readonly volatile?: readonly string[];
  /** The final state to compare. Default: everything the service wrote for the tenant. */
  readonly state?: (system: System, tenantId: TenantId) => Promise<unknown>;
};

const ORDERS = 12;

/** What differs when the samples arrive in another order, each of them twice; empty when the end is always the same. */
export async function orderProblems(system: System, which: OrderCase): Promise<string[]> {
  const expected = await endOf(system, which, which.samples);
  const twice = [...which.samples, ...which.samples];
  const anyOrder = fc.shuffledSubarray([...twice.keys()], { minLength: twice.length });
  const result = await fc.check(
    fc.asyncProperty(anyOrder, async order => {
      const events = order.map(place => twice[place] as PendingEvent);
      const lines = difference(expected, await endOf(system, which, events));
      if (lines.length > 0) throw new Error(lines.join('\n'));
    }),
    { numRuns: ORDERS, endOnFailure: true },
  );
  if (!result.failed) return [];
  const order = result.counterexample?.[0].map(place => twice[place]?.event.subject) ?? [];
  const reason = result.errorInstance instanceof Error ? result.errorInstance.message : '';
  return [`another order gives another state (seed ${result.seed}): ${order.join(', ')}\n${reason}`];
}

async function endOf(system: System, which: OrderCase, events: readonly PendingEvent[]): Promise<Effects> {
  const tenantId = newTenantId();
  const subscriber = subscriberOf(system, which.service);
  const deliveries = new Map(
    events.map(event => [event, deliveryOf(event, { tenantId, signer: system.signer })]),
  );
  await arrange(system, which, tenantId);
  for (const event of events) {
    const [outcome] = await subscriber.handle([deliveries.get(event) as Delivery], undefined);
    if (outcome?.kind !== 'done')
      throw new Error(`${event.event.subject} could not be handled: ${JSON.stringify(outcome)}`);
  }
  if (which.state !== undefined) return [JSON.stringify(await which.state(system, tenantId))];
  return comparable(await effectsOf(system, which.service, tenantId), tenantId, which.volatile);
}

function subscriberOf(system: System, service: Service) {
  const { registry, signer, metrics, backbone } = system;
  const outbox = backbone.outboxOf(service.schema);
  return createSubscriber({ service, db: system.db(service), outbox, registry, signer, metrics });
}

async function arrange(
  system: System,
  { service, arrange: make }: Pick<ReactionCase, 'service' | 'arrange'>,
  tenantId: TenantId,
): Promise<void> {
  if (make !== undefined) await system.run(service, tenantId, make, undefined);
}

async function skips(metrics: Metrics, { service, sample }: ReactionCase): Promise<number> {
  const labels = new RegExp(
    `^melmastoon_inbox_dedup_skips_total\\{(?=.*service="${service.name}")(?=.*topic="${sample.event.subject}").*\\} (\\d+)`,
    'm',
  );
  return Number(labels.exec(await metrics.render())?.[1] ?? 0);
}
