import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nextBundle, readReleased, releasedPath, writeReleased } from './events/released.ts';
import { checkEvents, committedChangelog, today } from './gates/events.ts';
import { isStarted, repositoryRoot } from './gates/gate.ts';
import { everyService } from './generators/every-service.ts';

/** Writes the bundle of this release, unless the evolution rules refuse it; returns how many subjects it holds. */
export async function release(root: string): Promise<number> {
  if (!existsSync(join(root, releasedPath))) writeReleased(root, {}); // the first release
  const services = await everyService();
  const { findings } = checkEvents(root, services, today());
  if (findings.length > 0) {
    for (const { where, what } of findings) console.error(`  ${where}  ${what}`);
    throw new Error(`${findings.length} problems: nothing was released`);
  }
  const bundle = nextBundle({
    before: readReleased(root),
    events: services.flatMap(({ publishes }) => publishes),
    changelog: committedChangelog(root),
    today: today(),
  });
  writeReleased(root, bundle);
  return Object.keys(bundle).length;
}

if (isStarted(import.meta.url)) {
  const subjects = await release(repositoryRoot);
  console.log(`wrote ${releasedPath}: ${subjects} subjects`);
}
