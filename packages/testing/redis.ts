import { describe } from 'vitest';
import { testServers } from './servers.ts';

/** The run's Redis, or undefined on a machine without one. Share it by key prefix; flush only a server of your own. */
export function redisUrl(): string | undefined {
  return testServers().redisUrl;
}

/** A `describe` that runs where there is a Redis and otherwise shows up as left out, never as passed. */
export function describeWithRedis(title: string, body: (url: string) => void): void {
  const url = redisUrl();
  // biome-ignore lint/suspicious/noSkippedTests: the design asks that a run without Redis says what it left out
  if (url === undefined) describe.skip(`${title} (left out: no Redis on this machine)`, () => body(''));
  else describe(title, () => body(url));
}
