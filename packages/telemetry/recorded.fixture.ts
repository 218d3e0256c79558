import { globSync, readFileSync } from 'node:fs';
import type { MetricDefinition } from './metric-catalogue.ts';

type Catalogue = Readonly<Record<string, MetricDefinition>>;

/** What runs in production, without the files that only name metrics. */
export function productionCode(root: URL): string[] {
  return globSync('{packages,services,apps}/**/*.{ts,tsx}', { cwd: root })
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => !/(^|\/)(node_modules|fixtures)\/|\.(test|fixture|conformance)\.tsx?$/.test(path))
    .filter(path => !/^packages\/(testing\/|telemetry\/(metric-catalogue|event-metrics)\.ts$)/.test(path))
    .map(path => readFileSync(new URL(path, root), 'utf8'));
}

/** What is wrong between a catalogue and the code: what nobody records, and what is called planned and is there. */
export function recordingProblems(catalogue: Catalogue, code: readonly string[]): string[] {
  const named = new Set(code.flatMap(text => text.match(/melmastoon_[a-z_]+/g) ?? []));
  return Object.entries(catalogue).flatMap(([name, { planned }]) => {
    if (planned === undefined) return named.has(name) ? [] : [`nobody records ${name}`];
    return named.has(name) ? [`${name} is recorded, and still called planned`] : [];
  });
}
