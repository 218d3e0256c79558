import { existsSync, readdirSync } from 'node:fs';
import { type ContractOptions, doubleDeliveryContract, type Samples } from '@ghasi/testing/double-delivery';
import { describe, expect, test } from 'vitest';
import { allServices } from './services.ts';

/** What a service's `fixtures/samples.ts` may export beside its samples, by subject. */
type Fixture = {
  samples: Samples;
  arrange?: NonNullable<ContractOptions['arrange']>;
  writesNothing?: readonly string[];
};

const services = allServices({
  secret: 'a secret of this test only, long enough to be one',
  publicUrl: 'http://localhost:4000',
  ask: async () => {
    throw new Error('a reaction asks nobody: facts travel as events');
  },
});
const fixtures = await readFixtures();

describe('INBOX-10: every reaction of the platform takes a message twice', () => {
  test('the samples of every service that publishes were read', () => {
    const published = services.flatMap(({ publishes }) => publishes.map(({ subject }) => subject));
    expect(published.length).toBeGreaterThan(0);
    expect(published.filter(subject => fixtures.samples[subject] === undefined)).toEqual([]);
  });

  doubleDeliveryContract(services, fixtures.samples, fixtures);
});

/** The samples live with the owner of the event, so that a contract and its readers are tested with the same ones. */
async function readFixtures(): Promise<Required<Fixture>> {
  const folder = new URL('../../services/', import.meta.url);
  const found: Required<Fixture> = { samples: {}, arrange: {}, writesNothing: [] };
  for (const name of readdirSync(folder)) {
    const file = new URL(`${name}/fixtures/samples.ts`, folder);
    if (!existsSync(file)) continue;
    const { samples, arrange, writesNothing = [] } = (await import(file.href)) as Fixture;
    found.samples = { ...found.samples, ...samples };
    found.arrange = { ...found.arrange, ...arrange };
    found.writesNothing = [...found.writesNothing, ...writesNothing];
  }
  return found;
}
