import { expect, test } from 'vitest';
import { failpointsIn, filesIn, textOf } from './fixtures/chaos/crash-points.ts';

const everywhere = ['packages', 'services', 'apps', 'examples', 'bench', 'tools'];

/** Tests that kill processes, with the tables they take the places from. */
const crashTests = [
  'apps/server/saga-crash.campaign.test.ts',
  'packages/backbone/fixtures/chaos/crash-points.ts',
  'packages/http/crash.int.test.ts',
  'packages/jobs/fencing.int.test.ts',
  'services/billing-service/crash.int.test.ts',
  'services/lock-integration-service/crash.int.test.ts',
];

/** Names in quotes, alone or in what `MELM_FAILPOINTS` takes: `name`, `name=crash`, `name@2`. */
const namesIn = (text: string) =>
  [...text.matchAll(/['"`]([a-z_]+(?:\.[a-z_-]+)+)(?:=crash)?(?:@\d+)?['"`]/g)].map(([, name = '']) => name);

/** `saga.${kind}.start` stands for one name per kind. */
const isOf = (point: string, name: string) => {
  const words = point.split(/\$\{[^}]*\}/).map(word => word.replaceAll('.', '\\.'));
  return new RegExp(`^${words.join('[a-z_]+')}$`).test(name);
};

test('every failpoint of every workspace is one at which a test kills a process', () => {
  const points = failpointsIn(everywhere);
  const crashed = crashTests.flatMap(file => namesIn(textOf(file)));
  expect(points.length).toBeGreaterThanOrEqual(27);
  expect(points.filter(point => !crashed.some(name => isOf(point, name)))).toEqual([]);
});

test('a place that no test crashes, and a name that is not written where it is passed, would be found', () => {
  expect(isOf('jobs.before-complete', 'jobs.before-completed')).toBe(false);
  expect(isOf('saga.$' + '{kind}.end', 'saga.check_in.end')).toBe(true);
  expect(isOf('saga.$' + '{kind}.end', 'saga.check_in.start')).toBe(false);
  expect(
    namesIn(`dieAt('billing.night-posted@2'); spawn("jobs.before-complete=crash"); // relay.after-move`),
  ).toEqual(['billing.night-posted', 'jobs.before-complete']);
  expect(crashTests.filter(file => file.endsWith('.test.ts') && !/crash|dieAt/.test(textOf(file)))).toEqual(
    [],
  );
  expect(everywhere.flatMap(filesIn).length).toBeGreaterThan(1_000);
});
