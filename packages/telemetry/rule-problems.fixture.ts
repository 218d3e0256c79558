import type { MetricDefinition } from './metric-catalogue.ts';
import { parsePromql, type Selector } from './promql.fixture.ts';
import type { Rule } from './rule-file.fixture.ts';

/** What rules and panels are checked against. */
export type Known = {
  readonly metrics: Readonly<Record<string, MetricDefinition>>;
  /** Names that recording rules make. */
  readonly recorded: readonly string[];
  /** Page and heading, as a link has them. */
  readonly headings: ReadonlySet<string>;
};

const severities = ['page', 'critical', 'warning'];
const perCounter = /^(?:rate|irate|increase)$/;

/** Everything wrong with alert rules, in words. */
export function ruleProblems(rules: readonly Rule[], known: Known): string[] {
  const names = rules.map(rule => rule.alert ?? rule.record ?? '');
  return [
    ...names.filter((name, place) => names.indexOf(name) !== place).map(name => `${name} is there twice`),
    ...rules.flatMap(rule =>
      [...shapeProblems(rule, known), ...expressionProblems(rule.expr ?? '', known)].map(
        what => `${rule.alert ?? rule.record ?? 'a rule without a name'}: ${what}`,
      ),
    ),
  ];
}

function shapeProblems({ alert, record, labels, annotations, ...rule }: Rule, known: Known): string[] {
  if (record !== undefined) return [];
  const { severity = '', owner = '', ledger = '' } = labels ?? {};
  const { summary = '', runbook = '' } = annotations ?? {};
  const spoken = [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
  const available = labelsIn(rule.expr ?? '', known);
  return [
    ...(/^[a-z][a-z_]+$/.test(alert ?? '') ? [] : ['its name is not in lower_case']),
    ...(rule.for === undefined || /^\d+[smh]$/.test(rule.for) ? [] : [`for ${rule.for} is no duration`]),
    ...(severities.includes(severity) ? [] : [`severity is one of ${severities.join(', ')}`]),
    ...(owner === '' ? ['nobody owns it'] : []),
    ...(/^OBS-\d\d$/.test(ledger) ? [] : ['it names no row of the ledger']),
    ...(summary === '' ? ['it says nothing to whoever is woken'] : []),
    ...(known.headings.has(runbook) ? [] : [`its runbook ${runbook} leads nowhere`]),
    ...spoken.filter(label => !available.has(label)).map(label => `its summary speaks of ${label}`),
  ];
}

/** Everything wrong with an expression: names and labels the catalogue does not have, and counters read as gauges. */
export function expressionProblems(expr: string, known: Known): string[] {
  try {
    const { selectors, groupings } = parsePromql(expr);
    return [
      ...selectors.flatMap(one => selectorProblems(one, selectors, known)),
      ...groupings.flatMap(({ label, metrics }) =>
        metrics
          .filter(metric => known.metrics[familyOf(metric, known)] !== undefined)
          .filter(metric => !labelsOf(metric, known).includes(label))
          .map(metric => `${metric} has no label ${label}`),
      ),
      ...(selectors.length === 0 && !/^vector\(/.test(expr) ? ['it reads no metric'] : []),
    ];
  } catch (error) {
    return [(error as Error).message];
  }
}

function selectorProblems(selector: Selector, all: readonly Selector[], known: Known): string[] {
  const { metric, matchers, calls } = selector;
  if (known.recorded.includes(metric)) return [];
  const definition = known.metrics[familyOf(metric, known)];
  if (definition === undefined) return [`no metric is called ${metric}`];
  const isRated = perCounter.test(calls[0] ?? '');
  // New series are found by comparing a counter with itself a while ago.
  const isCompared = all.some(other => other.metric === metric && other.isOffset);
  const isCounter = definition.kind !== 'gauge';
  return [
    ...(definition.planned === undefined ? [] : [`${metric} is only planned: nobody records it`]),
    ...(definition.kind === 'histogram' && metric in known.metrics
      ? [`${metric} is a histogram, not a number`]
      : []),
    ...(isCounter && !isRated && !isCompared ? [`${metric} only ever grows: use rate or increase`] : []),
    ...(!isCounter && isRated ? [`${metric} is a gauge and has no rate`] : []),
    ...matchers.flatMap(({ label, op, value }) => {
      if (!labelsOf(metric, known).includes(label)) return [`${metric} has no label ${label}`];
      const allowed = definition.labels[label];
      return Array.isArray(allowed) && op === '=' && !allowed.includes(value)
        ? [`${metric} never has ${label}="${value}"`]
        : [];
    }),
  ];
}

/** The catalogue's name behind a sample: a histogram shows itself as buckets, sum and count. */
function familyOf(metric: string, { metrics }: Known): string {
  const family = metric.replace(/_(?:bucket|sum|count)$/, '');
  return metric in metrics || metrics[family]?.kind !== 'histogram' ? metric : family;
}

function labelsOf(metric: string, known: Known): string[] {
  const labels = Object.keys(known.metrics[familyOf(metric, known)]?.labels ?? {});
  return metric.endsWith('_bucket') ? [...labels, 'le'] : labels;
}

function labelsIn(expr: string, known: Known): Set<string> {
  try {
    return new Set(parsePromql(expr).selectors.flatMap(({ metric }) => labelsOf(metric, known)));
  } catch {
    return new Set();
  }
}
