import { crossTenantPolicy, crossTenantProblems } from '@ghasi/backbone/cross-tenant-policy';
import { registryProblems } from '@ghasi/backbone/registry';
import { crossTenantPaths } from '@melmastoon/catalog/cross-tenant-paths';
import { type Changelog, readChangelog } from '../events/changelog.ts';
import { declaredNow, evolutionFindings } from '../events/evolution.ts';
import { mergedBundleFindings } from '../events/merged-bundle.ts';
import { readReleased } from '../events/released.ts';
import { everyService } from '../generators/every-service.ts';
import type { Party } from '../generators/pubsub/topology.ts';
import { type Finding, type Gate, type GateReport, isStarted, runGate } from './gate.ts';
import { readText } from './tree.ts';

const changelogPath = 'CHANGELOG.events.md';

/** The gate over any services: their events fit together and break nothing that was released (REG-17..21, MIG-14, MIG-15). */
export function eventsGate(load: () => Promise<readonly Party[]>, floor: number): Gate {
  return { name: 'events', floor, check: async root => checkEvents(root, await load(), today()) };
}

/** The day a gate or a release runs on. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** What was written about changes of events. */
export function committedChangelog(root: string): Changelog {
  return readChangelog(readText(root, changelogPath));
}

/** All findings about the events of some services on a day, against the release and the changelog in a tree. */
export function checkEvents(root: string, services: readonly Party[], day: string): GateReport {
  const events = services.flatMap(({ publishes }) => publishes);
  const changelog = committedChangelog(root);
  const broken = registryProblems(events);
  // declarations that contradict each other have no evolution to speak of
  const { findings, used } =
    broken.length > 0
      ? { findings: [], used: [] }
      : evolutionFindings({
          ...{ released: readReleased(root), changelog, today: day },
          events: events.map(declaredNow),
        });
  const bundle = mergedBundleFindings(root, { changelog, today: day });
  return {
    looked: events.length,
    of: 'subjects',
    findings: [
      ...broken.map(what => ({ where: 'registry', what })),
      ...notTheirOwn(services),
      ...crossTenantProblems(services, crossTenantPolicy(crossTenantPaths)).map(what => ({
        where: 'services/catalog/cross-tenant-paths.ts',
        what: `XT-06: ${what}`,
      })),
      ...changelog.malformed.map(({ line, what }) => ({ where: `${changelogPath}:${line}`, what })),
      ...findings,
      ...bundle.findings,
    ],
    notes: [...new Set([...used, ...bundle.used])],
  };
}

function notTheirOwn(services: readonly Party[]): Finding[] {
  return services.flatMap(({ name, publishes }) =>
    publishes
      .filter(({ owner }) => owner !== name)
      .map(({ subject, owner }) => ({
        where: `services/${name}/service.ts`,
        what: `CAT-07: publishes ${subject}, which belongs to ${owner}`,
      })),
  );
}

/** 82 subjects of the catalogue and 8 derived ones (CAT-09, X-001). */
const leastSubjects = 90;

if (isStarted(import.meta.url)) await runGate(eventsGate(everyService, leastSubjects));
