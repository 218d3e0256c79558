import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { postgresFeatures } from './adapters/postgres/features.ts';
import { redisStreamsFeatures } from './adapters/redis-streams/features.ts';
import { featureNames } from './broker.ts';

test('the table of the README says what the adapters say, and leaves none out', () => {
  const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| `(\w+)` \| (yes|no) \| (yes|no) \|$/gm)].map(([, ...cells]) => cells);
  const word = ({ has }: { has: boolean }) => (has ? 'yes' : 'no');
  expect(rows).toEqual(
    featureNames.map(name => [name, word(postgresFeatures[name]), word(redisStreamsFeatures[name])]),
  );
});
