import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { metricCatalogue } from './metric-catalogue.ts';
import { parsePromql } from './promql.fixture.ts';
import { type Rule, readRules, readYaml } from './rule-file.fixture.ts';
import { expressionProblems, type Known, ruleProblems } from './rule-problems.fixture.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const files = globSync('infrastructure/alerts/*.yml', { cwd: root }).map(String).sort();
const dashboards = globSync('infrastructure/dashboards/*.json', { cwd: root }).map(String).sort();
const rules = files.flatMap(path => readRules(read(path)));

const RUNBOOK = 'docs/how-to/answer-an-alert.md';
const headings = [...read(RUNBOOK).matchAll(/^#+ (\S+)$/gm)].map(([, title]) => `${RUNBOOK}#${title}`);
const known: Known = {
  metrics: metricCatalogue,
  recorded: rules.flatMap(({ record }) => record ?? []),
  headings: new Set(headings),
};

// Ledger section 13.3, row by row: name, what it is compared with, how long, who. OBS-31 to OBS-33 leave the numbers to us.
const ledger: [string, { alert: string; limit: string; for?: string; owner: RegExp }][] = [
  ['OBS-19', { alert: 'outbox_lag_high', limit: '> 60', for: '5m', owner: /service on-call/ }],
  ['OBS-20', { alert: 'dlq_depth_growing', limit: '> 1', for: '5m', owner: /service on-call/ }],
  ['OBS-21', { alert: 'consumer_error_rate', limit: '> 0.05', for: '5m', owner: /service on-call/ }],
  [
    'OBS-22',
    { alert: 'saga_partial_rate', limit: '> 0.01', for: '15m', owner: /service on-call, product on-call/ },
  ],
  ['OBS-23', { alert: 'cross_tenant_publish_blocked', limit: '> 0', owner: /platform on-call/ }],
  ['OBS-24', { alert: 'pubsub_dlq_depth', limit: '> 10', for: '5m', owner: /platform on-call/ }],
  ['OBS-25', { alert: 'undelivered_messages', limit: '> 10000', for: '5m', owner: /platform/ }],
  ['OBS-26', { alert: 'outbox_quarantined', limit: '> 0', owner: /on-call/ }],
  ['OBS-27', { alert: 'redis_memory_high', limit: '> 0.8', owner: /tenant-booking service/ }],
  ['OBS-28', { alert: 'refund_failed', limit: '> 0', owner: /finance on-call/ }],
  ['OBS-29', { alert: 'check_in_partial', limit: '> 0', owner: /front desk, service on-call/ }],
];

const withAlert = (id: string) => rules.filter(rule => rule.labels?.ledger === id);
const limitsOf = ({ expr = '' }: Rule) =>
  parsePromql(expr).comparisons.map(({ op, value }) => `${op} ${value}`);

describe('alert rules', () => {
  test('there are files to look at, and every rule is sound', () => {
    expect([files.length, rules.length]).toEqual([3, 20]);
    expect(ruleProblems(rules, known)).toEqual([]);
  });

  test.each(ledger)('%s: $alert has the limit, the time and the owner of the ledger', (id, wanted) => {
    const [rule, ...more] = withAlert(id);
    expect(more).toEqual([]);
    expect(rule).toMatchObject({ alert: wanted.alert });
    expect(limitsOf(rule as Rule)).toContain(wanted.limit);
    expect(rule?.for).toBe(wanted.for);
    expect(rule?.labels?.owner).toMatch(wanted.owner);
  });

  test.each([
    ['OBS-31', ['database_unavailable', 'event_bus_down', 'job_queue_overflow'], 'page'],
    ['OBS-32', ['cache_miss_rate_high', 'slow_queries', 'outbox_backlog'], 'warning'],
    ['OBS-33', ['job_dead_letters'], 'warning'],
  ])('%s: every case it names has a rule', (id, names, severity) => {
    expect(withAlert(id).map(({ alert }) => alert)).toEqual(names);
    expect(new Set(withAlert(id).map(({ labels }) => labels?.severity))).toEqual(new Set([severity]));
  });

  test('OBS-15: a subscription that is late warns, and so does one that stands still, whatever carries its messages', () => {
    const [rule, ...more] = withAlert('OBS-15') as [Rule, ...Rule[]];
    expect(more).toEqual([]);
    expect(rule).toMatchObject({ alert: 'consumer_lag_high', for: '10m', labels: { severity: 'warning' } });
    const { selectors, comparisons, groupings } = parsePromql(rule.expr ?? '');
    expect(selectors.map(({ metric }) => metric)).toEqual([
      'melmastoon_event_consumer_lag_seconds',
      'melmastoon_event_consumer_lag_count',
      'melmastoon_parked_keys_count',
      'melmastoon_events_consumed_total',
    ]);
    expect(comparisons.map(({ value }) => value)).toEqual([300, 0, 0, 0]);
    expect(new Set(groupings.map(({ label }) => label))).toEqual(new Set(['service', 'subscription']));
  });

  test('OBS-23, OBS-26, X-083: what must never happen wakes somebody', () => {
    for (const id of ['OBS-23', 'OBS-26']) expect(withAlert(id)[0]?.labels?.severity).toBe('page');
  });

  test('OBS-33: the dead-letter threshold of the job queue is configured in one place', () => {
    expect(rules.filter(({ record }) => record !== undefined)).toEqual([
      { record: 'melmastoon:job_dead_letters:threshold', expr: 'vector(10)' },
    ]);
    expect(withAlert('OBS-33')[0]?.expr).toContain('scalar(melmastoon:job_dead_letters:threshold)');
  });

  test('DLQ-12: the alerts on dead letters name the page that goes through them step by step, and it names them', () => {
    const steps = 'docs/how-to/pubsub/dlq-non-empty.md';
    const named = rules.filter(({ annotations }) => annotations?.steps !== undefined);
    expect(named.map(({ alert }) => alert)).toEqual(['dlq_depth_growing', 'pubsub_dlq_depth']);
    expect(new Set(named.map(({ annotations }) => annotations?.steps))).toEqual(new Set([steps]));
    for (const { alert } of named) expect(read(steps)).toContain(`answer-an-alert.md#${alert}`);
  });

  test('every alert has its own part of the runbook, and the runbook has no part without one', () => {
    const linked = rules.flatMap(({ annotations }) => annotations?.runbook ?? []);
    expect(linked.sort()).toEqual(headings.filter(one => one.includes('_')).sort());
  });
});

describe('a planted mistake is found', () => {
  const sound = rules.find(({ alert }) => alert === 'pubsub_dlq_depth') as Rule;
  const depth = 'melmastoon_dlq_depth_count';

  test.each<[string, Partial<Rule>, RegExp]>([
    ['a metric nobody records', { expr: 'melmastoon_dlq_dept_count > 10' }, /no metric is called/],
    ['X-071: a name without its prefix', { expr: 'dlq_depth_count > 10' }, /no metric is called/],
    ['a label the metric does not have', { expr: `sum by (queue) (${depth}) > 10` }, /no label queue/],
    ['a matcher on such a label', { expr: `${depth}{tenant_id="x"} > 10` }, /no label tenant_id/],
    [
      'a value the label never has',
      { expr: 'rate(melmastoon_events_consumed_total{result="failed"}[5m]) > 1' },
      /never has result="failed"/,
    ],
    [
      'a metric that is only planned',
      { expr: 'rate(melmastoon_devices_offline_total[5m]) > 0' },
      /only planned: nobody records it/,
    ],
    ['a counter read as a gauge', { expr: 'melmastoon_events_dlq_total > 10' }, /only ever grows/],
    ['a gauge with a rate', { expr: `rate(${depth}[5m]) > 10` }, /has no rate/],
    ['a rate without a range', { expr: 'rate(melmastoon_events_dlq_total) > 1' }, /needs a range/],
    [
      'a histogram without its suffix',
      { expr: 'rate(melmastoon_job_duration_seconds[5m]) > 1' },
      /histogram/,
    ],
    ['brackets that do not close', { expr: `sum(${depth} > 10` }, /expected/],
    ['a function nobody knows', { expr: `summ(${depth}) > 10` }, /unknown function/],
    ['words that are no expression', { expr: `${depth} above 10` }, /unexpected above/],
    ['an empty expression', { expr: '' }, /unexpected the end/],
    [
      'a runbook that leads nowhere',
      { annotations: { summary: 'x', runbook: `${RUNBOOK}#nothing` } },
      /leads nowhere/,
    ],
    ['no owner', { labels: { severity: 'page', ledger: 'OBS-24' } }, /nobody owns it/],
    ['a severity of its own', { labels: { ...sound.labels, severity: 'urgent' } }, /severity is one of/],
    ['no row of the ledger', { labels: { severity: 'page', owner: 'x' } }, /no row of the ledger/],
    ['a time that is none', { for: '5 minutes' }, /no duration/],
    [
      'a summary that speaks of a label it does not get',
      { annotations: { ...sound.annotations, summary: '{{ $labels.tenant }} is late' } },
      /speaks of tenant/,
    ],
  ])('%s', (_what, change, problem) => {
    expect(ruleProblems([sound], known)).toEqual([]);
    expect(ruleProblems([{ ...sound, ...change }], known).join('\n')).toMatch(problem);
  });

  test('a name used twice', () => {
    expect(ruleProblems([sound, sound], known)).toEqual(['pubsub_dlq_depth is there twice']);
  });

  test.each([
    ['a tab', 'groups:\n\t- name: x'],
    ['a list inside a line', 'groups: [x]'],
    ['a word YAML reads as truth', 'groups: yes'],
    ['a text with a colon', 'groups: a: b'],
    ['a name twice', 'groups: x\ngroups: y'],
    ['too much indentation', 'groups:\n    - name: x'],
  ])('in YAML: %s', (_what, text) => {
    expect(() => readYaml(text)).toThrow(SyntaxError);
  });
});

type Panel = {
  title?: string;
  type: string;
  panels?: Panel[];
  targets?: { expr: string; legendFormat?: string }[];
  fieldConfig?: { defaults: { unit?: string; thresholds?: { steps: Step[] } } };
};
type Step = { color: string; value: number | null };
const green = (value: number | null): Step => ({ color: 'green', value });
const red = (value: number | null): Step => ({ color: 'red', value });
const panelsOf = (panels: readonly Panel[]): Panel[] =>
  panels.flatMap(panel => [panel, ...panelsOf(panel.panels ?? [])]);

describe('dashboards', () => {
  const boards = dashboards.map(path => JSON.parse(read(path)) as { title: string; panels: Panel[] });
  const panels = panelsOf(boards.flatMap(board => board.panels)).filter(({ type }) => type !== 'row');

  test('DLQ-12, OBS-24: the backbone has a dashboard, and pubsub-dlq-depth is among its panels', () => {
    expect(boards.map(({ title }) => title)).toEqual(['Backbone']);
    expect(panels.map(({ title }) => title)).toContain('pubsub-dlq-depth');
  });

  test('every panel reads metrics of the catalogue by labels they have, and says so in its legend', () => {
    expect(panels.length).toBeGreaterThan(15);
    const problems = panels.flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr, legendFormat = '' }) => {
        const { groupings } = parsePromql(expr);
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
        const missing = shown.filter(label => !groupings.some(one => one.label === label));
        return [
          ...expressionProblems(expr, known),
          ...missing.map(label => `the legend shows ${label}, which is summed away`),
        ].map(what => `${title}: ${what}`);
      }),
    );
    expect(problems).toEqual([]);
    expect(panels.filter(({ targets = [] }) => targets.length === 0)).toEqual([]);
  });

  // A step of Grafana begins with its number, an alert rings above it: of whole numbers the step is the next one.
  const firstRow: [string, { alert: string; limit: string; steps: Step[] }][] = [
    ['Oldest unpublished', { alert: 'outbox_lag_high', limit: '> 60', steps: [green(null), red(60)] }],
    ['Dead letters', { alert: 'pubsub_dlq_depth', limit: '> 10', steps: [green(null), red(11)] }],
    ['Undelivered', { alert: 'undelivered_messages', limit: '> 10000', steps: [green(null), red(10_001)] }],
    ['Handler errors', { alert: 'consumer_error_rate', limit: '> 0.05', steps: [green(null), red(0.05)] }],
    ['Consumer lag', { alert: 'consumer_lag_high', limit: '> 300', steps: [green(null), red(300)] }],
    ['Database answers', { alert: 'database_unavailable', limit: '< 1', steps: [red(null), green(1)] }],
  ];

  test('the first row is red where an alert rings, and nothing else is in it', () => {
    const row = boards.flatMap(board => board.panels).slice(1, 1 + firstRow.length);
    expect(row.map(({ title }) => title)).toEqual(firstRow.map(([title]) => title));
    for (const [place, [title, { alert, limit, steps }]] of firstRow.entries()) {
      const { expr = '' } = rules.find(rule => rule.alert === alert) ?? {};
      expect(limitsOf({ expr })).toContain(limit);
      expect({ title, steps: row[place]?.fieldConfig?.defaults.thresholds?.steps }).toEqual({ title, steps });
    }
  });

  test('what an alert asks of one topic or subscription, the first row shows of the worst one', () => {
    const divisions = (expr = '') => new Set(parsePromql(expr).groupings.map(({ label }) => label));
    for (const [title, { alert }] of firstRow.filter(([, { alert }]) =>
      /^(?:pubsub|consumer_error)/.test(alert),
    )) {
      const [shown] = panels.find(panel => panel.title === title)?.targets ?? [];
      expect(shown?.expr).toMatch(/^max\(/);
      expect(divisions(shown?.expr)).toEqual(divisions(rules.find(rule => rule.alert === alert)?.expr));
    }
  });

  test('OBS-05 to OBS-15: every event metric of the catalogue is on the dashboard', () => {
    const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n');
    const events = Object.keys(metricCatalogue).filter(name =>
      /^melmastoon_(?:events?_|outbox_|inbox_|saga_|dlq_|parked_|cross_tenant)/.test(name),
    );
    expect(events.length).toBeGreaterThan(15);
    expect(events.filter(name => !shown.includes(name))).toEqual([]);
  });
});

test('OBS-04: the page on observability covers the whole stack, what is built and what is not', () => {
  const page = read('docs/observability/01-observability.md');
  const titles = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(titles).toEqual(
    expect.arrayContaining(['Logs', 'Metrics', 'Traces', 'Alerts', 'What is not here yet']),
  );
  expect(page).toMatch(/Real-user monitoring/);
  expect(page).toMatch(/Evaluation of AI decisions/);
  expect(page.match(/```mermaid/g)).toHaveLength(1);
});
