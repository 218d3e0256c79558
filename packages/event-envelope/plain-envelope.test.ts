import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildEnvelopeText } from './build.ts';
import { judgeEnvelopeOf, parseEnvelopeOf } from './envelope.ts';
import { contexts, payloads } from './fixtures/arbitrary.ts';
import { ClerkAdded, context, FraudSuspected, OrderPlaced, placed, provenance } from './fixtures/events.ts';
import { isPlainEnvelope } from './plain-envelope.ts';

type Json = Record<string, unknown>;

const arrived = (): Json =>
  JSON.parse(buildEnvelopeText(OrderPlaced.from(placed, { aggregateVersion: 3 }), context).text);

/** Values that are wrong nearly everywhere, each close to something right. */
const nasty = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(undefined, Number.NaN, 0, 1, 1.5, 2 ** 53, -1, true, [], {}, ['user'], 'platform'),
  fc.constantFrom(
    PLATFORM_TENANT_ID,
    PLATFORM_TENANT_ID.toUpperCase(),
    '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  ),
  fc.constantFrom('2026-02-30T08:00:00.000Z', '2026-03-29T08:00:00.000Z', '2026-03-19T08:00:00Z'),
  fc.constantFrom('', ' ', 'a b', 'é', 'ا', '"', '\\', '\u0000', 'warm', 'cold', 'ui', 'user', 'us-central1'),
  fc.constantFrom(100, 101, 200, 201, 512, 513).map(length => 'k'.repeat(length)),
);

const places = [
  ...Object.keys(arrived()).map(name => [name]),
  ...['type', 'id', 'more'].map(name => ['actorId', name]),
  ...['service', 'instance', 'commit', 'region', 'more'].map(name => ['producedBy', name]),
  ...[...Object.keys(arrived().metadata as Json), 'source', 'fromOfflineReplay', 'aiProvenance', 'more'].map(
    name => ['metadata', name],
  ),
  ['causationId'],
  ['more'],
];

const damages = fc.record({ place: fc.constantFrom(...places), value: nasty, remove: fc.boolean() });

function damaged({ place, value, remove }: { place: string[]; value: unknown; remove: boolean }): Json {
  const envelope = arrived();
  const [last = '', ...path] = place.toReversed();
  const node = path.reduceRight<Json>((at, name) => at[name] as Json, envelope);
  if (remove) delete node[last];
  else node[last] = value;
  return envelope;
}

test('ENV-02: whatever is damaged, the short cut never accepts what the full judgement refuses', () => {
  const seen = { plain: 0, judged: 0, refused: 0 };
  fc.assert(
    fc.property(damages, damage => {
      const envelope = damaged(damage);
      const judged = outcome(() => judgeEnvelopeOf(OrderPlaced, envelope));
      expect(outcome(() => parseEnvelopeOf(OrderPlaced, envelope))).toEqual(judged);
      if (isPlainEnvelope(envelope, OrderPlaced)) seen.plain += 1;
      else seen.judged += 1;
      if ('refused' in judged) seen.refused += 1;
    }),
    { numRuns: 4_000 },
  );
  // a generator that damages nothing, or everything, would prove nothing
  expect(Math.min(seen.plain, seen.judged, seen.refused)).toBeGreaterThan(20);
});

test.each([PLATFORM_TENANT_ID, PLATFORM_TENANT_ID.toUpperCase(), 'platform', 'acme', '', context.tenantId])(
  'ENV-08, ENV-24, X-026: tenant "%s" with a fitting ordering key is judged alike on both ways',
  tenantId => {
    const envelope = arrived();
    const metadata = { ...(envelope.metadata as Json), orderingKey: `${tenantId}:${placed.orderId}` };
    const both = [judgeEnvelopeOf, parseEnvelopeOf].map(read =>
      outcome(() => read(OrderPlaced, { ...envelope, tenantId, metadata })),
    );
    expect(both[1]).toEqual(both[0]);
    expect(Object.keys(both[0] ?? {})).toEqual([tenantId === context.tenantId ? 'accepted' : 'refused']);
  },
);

function outcome(read: () => unknown): object {
  try {
    return { accepted: read() };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

test('every ordinary envelope takes the short cut, with and without the members it may leave out', () => {
  fc.assert(
    fc.property(payloads, contexts, (payload, { extra: _extra, ...where }) => {
      const ascii = /^[!-~]*$/;
      const words = [payload.orderId, where.actor.id, ...Object.values(where.producedBy)];
      fc.pre(words.every(word => ascii.test(word)));
      const { text } = buildEnvelopeText(OrderPlaced.from(payload, { aggregateVersion: 1 }), where);
      expect(isPlainEnvelope(JSON.parse(text), OrderPlaced)).toBe(true);
    }),
  );
});

test('X-039: another schema of the same version is for the full judgement, which ignores what it does not know', () => {
  const newer = { ...arrived(), schemaUri: `schemas://orders/order/placed/v1#sha256-${'0'.repeat(64)}` };
  expect(isPlainEnvelope(newer, OrderPlaced)).toBe(false);
  expect(parseEnvelopeOf(OrderPlaced, { ...newer, payload: { ...placed, mood: 'good' } }).payload).toEqual(
    placed,
  );
});

test('ENV-08, ENV-23, ENV-29: neither the platform’s tenant nor a missing provenance slips through', () => {
  expect(isPlainEnvelope({ ...arrived(), tenantId: 'platform' }, OrderPlaced)).toBe(false);
  const login = { ...context, producedBy: { ...context.producedBy, service: 'login' } };
  const clerk = buildEnvelopeText(ClerkAdded.from({ clerkId: 'c' }, { aggregateVersion: 1 }), {
    ...login,
    tenantId: PLATFORM_TENANT_ID,
  });
  expect(isPlainEnvelope(JSON.parse(clerk.text), ClerkAdded)).toBe(true);
  const suspected = FraudSuspected.from(
    { caseId: 'c', area: 'order' },
    { aggregateVersion: 1, aiProvenance: provenance },
  );
  const watch = { ...context, producedBy: { ...context.producedBy, service: 'watch-service' } };
  const { text } = buildEnvelopeText(suspected, watch);
  const { metadata, ...rest } = JSON.parse(text);
  const { aiProvenance: _gone, ...without } = metadata;
  expect(isPlainEnvelope({ ...rest, metadata: without }, FraudSuspected)).toBe(false);
});
