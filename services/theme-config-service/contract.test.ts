import { contractConformance, refusalOf } from '@melmastoon/catalog/contract-conformance';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ContentBlockChanged, events, PresetPublished, TokensChanged } from './contract.ts';
import { samples } from './fixtures/samples.ts';
import { service } from './service.ts';

describe('EVT-16..18: the events of theme-config-service', () => {
  contractConformance(events, samples);

  test('they are the three of the ledger, all warm', () => {
    expect(events.map(({ subject, retention }) => [subject, retention])).toEqual([
      ['melmastoon.theme.preset.published.v1', 'warm'],
      ['melmastoon.theme.tokens.changed.v1', 'warm'],
      ['melmastoon.theme.content_block.changed.v1', 'warm'],
    ]);
    expect(service.publishes).toBe(events);
  });

  test.each([
    [PresetPublished, 'presetVersion'],
    [TokensChanged, 'themeVersion'],
    [ContentBlockChanged, 'blockVersion'],
  ] as const)('$0.subject is said once per $1', (event, field) => {
    const version = fc.integer({ min: 1, max: 1_000_000 });
    const keyOf = (at: number) =>
      event.from(sampleOf(event, { [field]: at }) as never, { aggregateVersion: 1 }).idempotencyKey;
    fc.assert(
      fc.property(version, version, (one, other) => {
        expect(keyOf(one) === keyOf(other)).toBe(one === other);
      }),
    );
  });
});

test('EVT-16, EVT-17: a token is there once, under a name CSS can carry', () => {
  const token = { name: 'colour.primary', kind: 'colour', value: '#1f6f5c' };
  for (const event of [PresetPublished, TokensChanged]) {
    expect(refusalOf(event, sampleOf(event, { tokens: [token, token] }))).toContain('has a token twice');
    const spaced = { ...token, name: 'Primary Colour' };
    expect(refusalOf(event, sampleOf(event, { tokens: [spaced] }))).toContain('tokens.0.name');
  }
});

test('EVT-17: a change names what changed', () => {
  expect(refusalOf(TokensChanged, sampleOf(TokensChanged, { changed: [] }))).toContain('changed');
});

test('EVT-18: a published block has a text and its hash, a withdrawn one has neither', () => {
  const withdrawn = { status: 'withdrawn', text: null, contentHash: null };
  expect(refusalOf(ContentBlockChanged, sampleOf(ContentBlockChanged, withdrawn))).toBeUndefined();
  for (const change of [{ status: 'withdrawn' }, { text: null }, { contentHash: null }]) {
    expect(refusalOf(ContentBlockChanged, sampleOf(ContentBlockChanged, change))).toContain('has neither');
  }
});

function sampleOf({ subject }: { subject: string }, change: object = {}): Record<string, unknown> {
  return { ...samples[subject], ...change };
}
