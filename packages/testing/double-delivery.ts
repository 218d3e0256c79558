import type { Service } from '@ghasi/backbone/define-service';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { AIProvenance } from '@ghasi/event-envelope/ai-provenance';
import type { EventType, PendingEvent } from '@ghasi/event-envelope/define-event';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doubleDeliveryProblems, orderProblems } from './double-delivery-check.ts';
import { type System, startSystem } from './system.ts';

/** Subject → a payload, or several of one aggregate in their order. */
export type Samples = Readonly<Record<string, unknown>>;

/** What a reaction needs besides its event; everything may be left out. */
export type ContractOptions = {
  /** `<service> <subject>` → makes what that service's reaction needs to find. */
  readonly arrange?: Readonly<Record<string, (ctx: Ctx) => Promise<void>>>;
  /** Columns that differ from run to run for a good reason: `schema.table.column`. */
  readonly volatile?: readonly string[];
  /** Subjects (or `<service> <subject>`) whose reaction writes nothing, e.g. only clears a cache. */
  readonly writesNothing?: readonly string[];
  /** Service → its final state, where "everything it wrote" would be too strict for a comparison (ORD-14). */
  readonly state?: Readonly<Record<string, (system: System, tenantId: TenantId) => Promise<unknown>>>;
};

/**
 * One test for every reaction of every service: its sample is delivered twice and again, and must have one effect set
 * (INBOX-10). One more for every service that takes messages in any order (ORD-14). A reaction without a sample fails.
 */
export function doubleDeliveryContract(
  services: readonly Service[],
  samples: Samples,
  options: ContractOptions = {},
): void {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ services, relay: false, consumers: false, jobs: false });
  });
  afterAll(() => system?.stop());

  test('INBOX-10: every reaction has a sample', () => {
    expect(services.length).toBeGreaterThan(0);
    expect(reactionsOf(services).flatMap(({ service, event }) => missing(service, event, samples))).toEqual(
      [],
    );
  });

  describe.each(services.filter(({ reacts }) => reacts.length > 0))('$name', service => {
    const volatile = columnsOf(service, options.volatile ?? []);

    test.each(service.reacts.map(reaction => [reaction.event.subject, reaction] as const))(
      'INBOX-10, INBOX-11: %s has one effect, however often it arrives',
      async (subject, reaction) => {
        const [sample] = eventsFrom(reaction.event, samples);
        if (sample === undefined) expect.fail(missing(service, reaction.event, samples)[0]);
        const named = `${service.name} ${subject}`;
        const arrange = options.arrange?.[named];
        const writesNothing = options.writesNothing?.some(one => one === subject || one === named) ?? false;
        const given = { service, reaction, sample, volatile, writesNothing };
        const made = arrange === undefined ? given : { ...given, arrange };
        expect(report(await doubleDeliveryProblems(system, made))).toBe('');
      },
    );

    if (service.delivery.order === 'any') {
      test('ORD-14: its messages may come in any order', async () => {
        const events = service.reacts.flatMap(({ event }) => eventsFrom(event, samples));
        const state = options.state?.[service.name];
        const given = {
          service,
          samples: events,
          volatile,
          arrange: (ctx: Ctx) => arrangeAll(ctx, service, options),
          ...(state === undefined ? {} : { state }),
        };
        expect(report(await orderProblems(system, given))).toBe('');
      });
    }
  });
}

/** The sample of an event as occurrences: one, or several of one aggregate with rising versions. */
export function eventsFrom(event: EventType, samples: Samples): PendingEvent[] {
  const sample = samples[event.subject];
  if (sample === undefined) return [];
  const payloads = Array.isArray(sample) ? sample : [sample];
  return payloads.map((payload, index) =>
    event.from(payload, {
      aggregateVersion: index + 1,
      ...(event.aiProvenance ? { aiProvenance: byATestModel } : {}),
    }),
  );
}

const byATestModel = {
  provider: 'test',
  model: 'test',
  modelVersion: '1',
  promptHash: '0'.repeat(64),
  inputHash: '0'.repeat(64),
  confidence: 0.5,
  generatedAt: '2026-01-01T00:00:00.000Z',
  execution: 'edge',
} as unknown as AIProvenance;

function reactionsOf(services: readonly Service[]): { service: Service; event: EventType }[] {
  return services.flatMap(service => service.reacts.map(({ event }) => ({ service, event })));
}

function missing(service: Service, event: EventType, samples: Samples): string[] {
  if (samples[event.subject] !== undefined) return [];
  return [
    `${service.name} reacts to ${event.subject}, which has no sample: add a payload of it to the samples you give`,
  ];
}

function columnsOf({ schema }: Service, volatile: readonly string[]): string[] {
  return volatile.filter(name => name.startsWith(`${schema}.`)).map(name => name.slice(schema.length + 1));
}

async function arrangeAll(ctx: Ctx, { name, reacts }: Service, options: ContractOptions): Promise<void> {
  for (const { event } of reacts) await options.arrange?.[`${name} ${event.subject}`]?.(ctx);
}

/** Readable in a failure, one problem per paragraph. */
function report(problems: readonly string[]): string {
  return problems.join('\n\n');
}
