import { type MetricDefinition, metricCatalogue } from '@ghasi/telemetry/metric-catalogue';
import { type Page, table } from './generator.ts';

/** Every metric the platform may record. */
export const metricsPage: Page = {
  path: 'docs/reference/metrics.md',
  title: 'Metrics',
  source: '`packages/telemetry`',
  async make() {
    const metrics = Object.entries<MetricDefinition>(metricCatalogue);
    const rows = metrics.map(([name, { kind, help, labels, planned }]) => [
      `\`${name}\``,
      kind,
      Object.entries(labels).map(labelText).join(', '),
      planned === undefined ? help : `${help} **Planned, nobody records it:** ${planned}.`,
    ]);
    return `${introduction}\n\n${table(['Name', 'Kind', 'Labels', 'Meaning'], rows)}`;
  },
};

const introduction = [
  'Served as Prometheus text at `/metrics`. Durations are in seconds. No metric carries a tenant: `tenant_id_class`',
  'says only how large the tenant is.',
].join('\n');

function labelText([name, values]: [string, 'text' | readonly string[]]): string {
  return values === 'text' ? `\`${name}\`` : `\`${name}\` (${values.join(', ')})`;
}
