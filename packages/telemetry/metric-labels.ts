import type { MetricDefinition, MetricName, metricCatalogue } from './metric-catalogue.ts';
import { scrubText } from './scrub-text.ts';

type Catalogue = typeof metricCatalogue;

/** The names of one kind of metric. */
export type MetricNameOf<Kind extends MetricDefinition['kind']> = {
  [Name in MetricName]: Catalogue[Name]['kind'] extends Kind ? Name : never;
}[MetricName];

/** The labels a metric must be given: exactly the declared ones, listed values only. */
export type LabelsOf<Name extends MetricName> = {
  readonly [Label in keyof Catalogue[Name]['labels']]: Catalogue[Name]['labels'][Label] extends readonly (infer Value extends
    string)[]
    ? Value
    : string;
};

type LabelName = { [Name in MetricName]: keyof Catalogue[Name]['labels'] }[MetricName];
type RawTenantLabel = Extract<Exclude<LabelName, 'tenant_id_class'>, `${string}tenant${string}`>;
type Never<Found extends never> = Found;

/** ANTI-14: stops the compiler as soon as any entry names a label that holds a raw tenant. */
export type NoRawTenantLabel = Never<RawTenantLabel>;

const uuidOrUlid = /[0-9a-f]{8}-[0-9a-f]{4}-|[0-9A-HJKMNP-TV-Z]{26}/i;
const longest = 120;
// Distinct label values are few by design, so each is judged once; the bound keeps a mistake from eating memory.
const judgedLimit = 10_000;

/** ANTI-14: a label that could hold a person or a raw tenant; only `tenant_id_class` may speak of tenants. */
export function isForbiddenLabel(label: string): boolean {
  if (label === 'tenant_id_class') return false;
  return /tenant|org_?id|account|user|guest|operator|email|phone|session|device|correlation|trace_?id|^ip$/i.test(
    label,
  );
}

/** Makes the checker of one metric: exact label names, listed values, and no id or personal text as a value. */
export function labelChecker(name: string, definition: MetricDefinition) {
  const declared = Object.entries(definition.labels);
  for (const [label] of declared) {
    if (isForbiddenLabel(label))
      throw new Error(`Metric ${name}: label ${label} would hold a raw id (ANTI-14)`);
  }
  const judged = new Map<string, string>();

  function judge(value: string): string {
    const known = judged.get(value);
    if (known !== undefined) return known;
    const safe = value.length > longest || uuidOrUlid.test(value) ? '[redacted]' : scrubText(value);
    if (judged.size < judgedLimit) judged.set(value, safe);
    return safe;
  }

  return function check(labels: object): Record<string, string> {
    const checked: Record<string, string> = {};
    for (const [label, allowed] of declared) {
      const value: unknown = (labels as Record<string, unknown>)[label];
      if (typeof value !== 'string') throw new TypeError(`Metric ${name} needs the label ${label}`);
      if (allowed === 'text') checked[label] = judge(value);
      else if (allowed.includes(value)) checked[label] = value;
      else throw new TypeError(`Metric ${name}: ${label} is one of ${allowed.join(', ')}`);
    }
    for (const label in labels) {
      if (!Object.hasOwn(definition.labels, label))
        throw new TypeError(`Metric ${name} has no label ${label}`);
    }
    return checked;
  };
}
