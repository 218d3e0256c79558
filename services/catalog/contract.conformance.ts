import type { EventType } from '@ghasi/event-envelope/define-event';
import { errors } from '@ghasi/event-envelope/errors';
import { payloadSchema } from '@ghasi/event-envelope/schema-uri';
import { describe, expect, test } from 'vitest';
import { silentMembers } from './silent-members.conformance.ts';

/** A payload as plain JSON. */
export type Sample = Readonly<Record<string, unknown>>;

/** What every contract keeps: each event has one sample, which passes, and no longer does with a field too few or too many. */
export function contractConformance(
  events: readonly EventType[],
  samples: Readonly<Record<string, Sample>>,
): void {
  test('every event has a sample, and every sample its event', () => {
    expect(events.length).toBeGreaterThan(0);
    expect(Object.keys(samples).sort()).toEqual(events.map(({ subject }) => subject).sort());
  });

  describe.each(events)('$subject', event => {
    const sample = samples[event.subject] ?? {};
    const raise = (payload: unknown) => event.from(payload, { aggregateVersion: 1 });

    test('its sample passes, unchanged', () => {
      expect(raise(sample).payload).toEqual(sample);
    });

    test('its schema says something about every member', () => {
      expect(silentMembers(payloadSchema(event))).toEqual([]);
    });

    test('X-130: no member says who a guest is', () => {
      const named = membersOf(payloadSchema(event)).filter(member => personal.test(member));
      expect(named).toEqual([]);
    });

    test('its payload names its aggregate', () => {
      expect(Object.values(sample)).toContain(raise(sample).aggregateId);
    });

    test('its key is the same for the same fact', () => {
      expect(raise(structuredClone(sample)).idempotencyKey).toBe(raise(sample).idempotencyKey);
    });

    test.each(Object.keys(sample))('is refused without %s', field => {
      const { [field]: _, ...rest } = sample;
      expect(refusalOf(event, rest)).toContain(field);
    });

    test('is refused with a member nobody declared', () => {
      expect(refusalOf(event, { ...sample, guestEmail: 'guest@example.com' })).toContain('guestEmail');
    });
  });
}

const personal = /e-?mail|phone|passport|birth|address|(first|last|full|guest|family)_?name/i;

/** Names of all members at any depth. */
function membersOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties } = schema as { properties?: object };
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(membersOf)];
}

/** Why an event refuses a payload, or undefined when it takes it; any other failure is thrown on. */
export function refusalOf(event: EventType, payload: unknown): string | undefined {
  try {
    event.from(payload, { aggregateVersion: 1 });
    return undefined;
  } catch (error) {
    if (errors.INVALID_EVENT.is(error)) return error.params.reason as string;
    throw error;
  }
}
