import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import type { EventType } from '@ghasi/event-envelope/define-event';
import { payloadSchema, schemaHash } from '@ghasi/event-envelope/schema-uri';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { nextBundle, releasedPath } from '../events/released.ts';
import { event, labRules, type Planted, party, simple } from '../fixtures/lab.ts';
import { jsonText } from '../generators/json-text.ts';
import type { Party } from '../generators/pubsub/topology.ts';
import { checkEvents, eventsGate } from './events.ts';
import { repositoryRoot, verdict } from './gate.ts';
import { plantedTree } from './planted-tree.ts';

const taken = 'lab.samples.sample.taken.v1';
const lost = event('lab.samples.sample.lost.v1');

/** The day of the last release, and of the question where nothing else is said. */
const today = '2026-03-01';
const bundleOf = (events: readonly EventType[]) =>
  nextBundle({ before: {}, events, changelog: { runbooks: [] }, today });

/** Findings after `released` went out and `now` is declared, without those about the real table of cross-tenant paths. */
function findings(
  now: readonly EventType[],
  changelog = '',
  released: readonly EventType[] = [event(taken), lost],
) {
  return check([party('sample-service', now)], changelog, released).findings.map(
    ({ where, what }) => `${where}  ${what}`,
  );
}

function check(
  services: readonly Party[],
  changelog = '',
  released: readonly EventType[] = [event(taken), lost],
  day = today,
) {
  using tree = plantedTree({
    'CHANGELOG.events.md': changelog,
    [releasedPath]: jsonText(bundleOf(released)),
  });
  const { findings: all, ...report } = checkEvents(tree.root, services, day);
  return { ...report, findings: all.filter(({ what }) => !what.startsWith('XT-06: melmastoon.')) };
}

/** Findings when `taken` changes in this way. */
const changed = (change: Planted, changelog = '') => findings([event(taken, change), lost], changelog);

const withAir = simple.extend({ kind: z.enum(['soil', 'water', 'air']) });
const shorter = simple.extend({ note: z.string().max(10).optional() });
const shorterHash = `sha256-${schemaHash(payloadSchema(event(taken, { payload: shorter }))).slice(0, 12)}`;

describe('in place', () => {
  test('what was released and did not change passes', () => {
    expect(findings([event(taken), lost])).toEqual([]);
  });

  test('REG-06: a new optional field passes without a word', () => {
    expect(changed({ payload: simple.extend({ mood: z.string().default('good') }) })).toEqual([]);
  });

  test('a new subject passes', () => {
    expect(findings([event(taken), lost, event('lab.samples.sample.found.v1')])).toEqual([]);
  });

  test('REG-07: a new enum value passes with its line, for that subject and that value only', () => {
    const line = (subject: string, value: string) =>
      `## Enum values\n\n- \`${subject}\` \`payload.kind\` may be \`${value}\`: others ignore it\n`;
    expect(changed({ payload: withAir }, line(taken, 'air'))).toEqual([]);
    for (const changelog of ['', line(taken, 'fire'), line(lost.subject, 'air')])
      expect(changed({ payload: withAir }, changelog)).toEqual([
        expect.stringContaining(
          'REG-07: lab.samples.sample.taken.v1: payload.kind may be "air" now; note it',
        ),
      ]);
  });
});

describe('breaking without a new version', () => {
  test.each([
    ['REG-08', 'tightened', shorter],
    ['REG-09', 'optional to required', simple.extend({ note: z.string().max(20) })],
    ['REG-10', 'removed', simple.omit({ note: true })],
    ['REG-11', 'retyped', simple.extend({ id: z.string().nullable() })],
    ['REG-12', 'renamed', simple.omit({ note: true }).extend({ remark: simple.shape.note })],
  ])('%s, REG-19, ANTI-10: a field that is %s fails', (rule, _what, payload) => {
    const [finding, ...rest] = changed({ payload: payload as z.ZodType });
    expect(finding).toContain(`event-schemas/samples/sample/taken/v1.json  ${rule}: `);
    expect(finding).toContain('declare lab.samples.sample.taken.v2 with `replaces`');
    expect(rest).toEqual([]);
  });

  test('REG-15, X-078: a removed subject fails', () => {
    expect(findings([event(taken)])).toEqual([
      expect.stringContaining('REG-15: lab.samples.sample.lost.v1 was released and is gone'),
    ]);
  });

  test('REG-13, REG-15: a subject under a new name is a new topic, and the old one is still missed', () => {
    expect(findings([event(taken), event('lab.samples.sample.misplaced.v1')])).toEqual([
      expect.stringContaining('REG-15: lab.samples.sample.lost.v1 was released and is gone'),
    ]);
  });

  test('ENV-24, REG-22: another member as its aggregate fails, for events of one aggregate would have two ordering keys', () => {
    const byKind = { aggregateId: (p: unknown) => (p as { kind: string }).kind };
    expect(changed(byKind)).toEqual([
      expect.stringContaining('REG-22: lab.samples.sample.taken.v1: its aggregateId was id and is kind'),
    ]);
    expect(changed({ aggregateId: p => `${(p as { id: string }).id}` })).toEqual([]);
  });

  test.each([
    ['of the platform too', { platformSubjects: { [taken]: 'the platform samples too' } }],
    ['says which AI wrote it', { aiProvenance: ['samples'] }],
  ] as const)(
    'X-027, REG-22: a changed flag "%s" fails, for stored events were written without it',
    (name, rules) => {
      const catalogue = eventCatalogue({ ...labRules, ...rules });
      expect(changed({ catalogue })).toEqual([
        expect.stringContaining(`REG-22: ${taken}: its flag "${name}" was false and is true`),
      ]);
      expect(findings([event(taken), lost], '', [event(taken, { catalogue }), lost])).toHaveLength(1);
    },
  );

  test('REG-22, RET-04: another retention class fails, for stored events say the old one', () => {
    expect(changed({ retention: 'cold' })).toEqual([expect.stringContaining('REG-22: ')]);
  });
});

describe('a new version', () => {
  const v1 = event(taken);
  const replaces = { event: v1, upcast: (p: unknown) => p, downcast: (p: unknown) => p };
  const v2 = event('lab.samples.sample.taken.v2', { replaces });
  const runbook = (from: string, until: string) =>
    `## Dual publish\n\n- \`${v2.subject}\` with \`${taken}\` from ${from} until ${until}: readers move on the 10th\n`;

  test('REG-14, REG-20: passes with its runbook', () => {
    expect(findings([v1, v2, lost], runbook('2026-03-01', '2026-03-15'))).toEqual([]);
  });

  test('REG-20: fails without a runbook', () => {
    expect(findings([v1, v2, lost])).toEqual([
      'CHANGELOG.events.md  REG-20: lab.samples.sample.taken.v2 is new and has no entry under "Dual publish"',
    ]);
  });

  test('REG-14: fails when both are published for less than two weeks, or v1 stops at once', () => {
    expect(findings([v1, v2, lost], runbook('2026-03-01', '2026-03-14'))).toEqual([
      expect.stringContaining('for 13 days, at least 14'),
    ]);
    const { downcast: _none, ...without } = replaces;
    const abrupt = event(v2.subject, { replaces: without });
    expect(findings([v1, abrupt, lost], runbook('2026-03-01', '2026-04-01'))).toEqual([
      expect.stringContaining('has no `downcast`'),
    ]);
  });

  test('REG-14: once released, the older version stays for two weeks, and longer where the changelog says so', () => {
    const { downcast: _none, ...without } = replaces;
    const alone = event(v2.subject, { replaces: without });
    const on = (day: string, changelog = '') =>
      check([party('sample-service', [v1, alone, lost])], changelog, [v1, v2, lost], day).findings;
    expect(on('2026-03-14')).toEqual([
      {
        where: 'event-schemas/samples/sample/taken/v2.json',
        what: `REG-14: ${v2.subject} lost its \`downcast\`: v1 was promised beside it until 2026-03-15`,
      },
    ]);
    expect(on('2026-03-15')).toEqual([]);
    const longer = runbook('2026-03-01', '2026-04-01');
    expect(on('2026-03-31', longer).map(({ what }) => what)).toEqual([expect.stringContaining('2026-04-01')]);
    expect(on('2026-04-01', longer)).toEqual([]);
  });

  test('REG-10, REG-14: the older version must still be declared', () => {
    expect(findings([v2, lost])).toEqual([expect.stringContaining('has a v2 but no v1')]);
  });
});

describe('bypass', () => {
  const line = (subject: string, rule: string, ticket: string, hash: string) =>
    `## Bypasses\n\n- \`${subject}\` ${rule} ${ticket} ${hash}: partners send longer notes\n`;

  test('REG-21, X-081: an incident lets one change of one subject pass, and is printed', () => {
    const changelog = line(taken, 'REG-08', 'INC-204', shorterHash);
    expect(changed({ payload: shorter }, changelog)).toEqual([]);
    const { notes } = check([party('sample-service', [event(taken, { payload: shorter }), lost])], changelog);
    expect(notes).toEqual(['lab.samples.sample.taken.v1 passes against REG-08 because of INC-204']);
  });

  test.each([
    ['another rule', line(taken, 'REG-10', 'INC-204', shorterHash), 1],
    ['another subject', line(lost.subject, 'REG-08', 'INC-204', shorterHash), 1],
    ['another schema', line(taken, 'REG-08', 'INC-204', `sha256-${'0'.repeat(12)}`), 1],
    ['no incident', line(taken, 'REG-08', 'because', shorterHash), 2],
    ['the wrong place', line(taken, 'REG-08', 'INC-204', shorterHash).replace('Bypasses', 'Notes'), 1],
  ])('REG-21, X-081: a line with %s excuses nothing', (_what, changelog, problems) => {
    expect(changed({ payload: shorter }, changelog)).toHaveLength(problems);
  });

  test('a line that is not of its form is a finding with its number', () => {
    expect(findings([event(taken), lost], '# Log\n\n## Bypasses\n\n- trust me\n')).toEqual([
      expect.stringContaining('CHANGELOG.events.md:5  is not of the form - `<subject>`'),
    ]);
  });
});

describe('an edited baseline', () => {
  const v1 = event(taken);
  const replaces = { event: v1, upcast: (p: unknown) => p, downcast: (p: unknown) => p };
  const v2 = event('lab.samples.sample.taken.v2', { replaces });
  const runbook = `## Dual publish\n\n- \`${v2.subject}\` with \`${taken}\` from ${today} until 2026-03-15: soon\n`;
  const tightened = event(taken, { payload: shorter });
  const bypass = `## Bypasses\n\n- \`${taken}\` REG-08 INC-204 ${shorterHash}: partners send longer notes\n`;

  /** After `merged` was merged, somebody wrote `bundle` beside the contracts `now`, and may have committed it. */
  function edited(edit: {
    bundle: readonly EventType[];
    now?: readonly EventType[];
    changelog?: string;
    merged?: readonly EventType[];
    text?: string;
    isCommitted?: boolean;
  }): string[] {
    const { bundle, now = bundle, changelog = '', merged = [v1, lost], text, isCommitted = false } = edit;
    using tree = plantedTree({
      'CHANGELOG.events.md': '',
      [releasedPath]: jsonText(bundleOf(merged)),
    });
    const commit = () => {
      tree.git('add', '--all');
      tree.git('commit', '--quiet', '--message', 'a bundle');
    };
    commit();
    tree.write(releasedPath, text ?? jsonText(bundleOf(bundle)));
    tree.write('CHANGELOG.events.md', changelog);
    if (isCommitted) commit();
    return checkEvents(tree.root, [party('sample-service', now)], today)
      .findings.map(({ where, what }) => `${where}  ${what}`)
      .filter(line => !line.includes('XT-06: melmastoon.'));
  }

  test.each([[false], [true]])(
    'REG-17, REG-19: beside a breaking contract it fails (committed: %s), and passes with its bypass',
    isCommitted => {
      const [finding, ...rest] = edited({ bundle: [tightened, lost], isCommitted });
      expect(finding).toContain(`${releasedPath}  REG-08: ${taken}`);
      expect(rest).toEqual([]);
      expect(edited({ bundle: [tightened, lost], isCommitted, changelog: bypass })).toEqual([]);
    },
  );

  test('REG-17, REG-15: a subject that is taken out of it and of the contracts fails', () => {
    expect(edited({ bundle: [v1] })).toEqual([
      expect.stringContaining(`${releasedPath}  REG-15: ${lost.subject} was released and is gone`),
    ]);
  });

  test('REG-17: a release passes: new subjects and fields, and a v2 with its runbook', () => {
    const grown = event(taken, { payload: simple.extend({ mood: z.string().optional() }) });
    expect(edited({ bundle: [grown, lost, event('lab.samples.sample.found.v1')] })).toEqual([]);
    expect(edited({ bundle: [v1, v2, lost], changelog: runbook })).toEqual([]);
    expect(edited({ bundle: [v1, v2, lost] })).toEqual([
      expect.stringContaining(`${v2.subject} is new and has no entry`),
    ]);
  });

  test('REG-14: the day until which an older version was promised does not come nearer', () => {
    const merged = [v1, v2, lost];
    const text = jsonText(bundleOf(merged)).replace('2026-03-15', '2026-03-01');
    expect(edited({ bundle: merged, merged, text })).toEqual([
      expect.stringContaining('promised until 2026-03-15, and it says 2026-03-01'),
    ]);
  });
});

describe('declarations', () => {
  test('CAT-07: a service that publishes what another owns fails', () => {
    const services = [party('sample-service', [event(taken)]), party('atlas-service', [lost])];
    expect(check(services).findings).toEqual([
      {
        where: 'services/atlas-service/service.ts',
        what: `CAT-07: publishes ${lost.subject}, which belongs to sample-service`,
      },
    ]);
  });

  test('two declarations of one subject fail', () => {
    expect(findings([event(taken), event(taken), lost])).toEqual([
      expect.stringContaining('declared 2 times'),
    ]);
  });

  test('XT-06, MIG-15, ANTI-08: a cross-tenant event and its readers need a row in the table', () => {
    const map = event('lab.atlas.map.drawn.v1', { crossTenant: true });
    const services = [party('sample-service', [event(taken), lost], [map]), party('atlas-service', [map])];
    const problem = `XT-06: ${map.subject}: it has no row in the table of cross-tenant paths`;
    expect(check(services).findings.map(({ what }) => what)).toEqual([problem, problem]);
  });

  test('fewer subjects than the floor are not believed', async () => {
    using tree = plantedTree({ 'CHANGELOG.events.md': '', [releasedPath]: '{}' });
    const gate = eventsGate(async () => [], 90);
    const report = await gate.check(tree.root);
    expect(verdict(gate, report).passed).toBe(false);
    expect(verdict(gate, report).lines.at(-1)).toContain('events: looked at 0 subjects (floor 90)');
  });

  test('REG-17: a release without its bundle is no release: the gate fails loudly', () => {
    using tree = plantedTree({ 'CHANGELOG.events.md': '' });
    expect(() => checkEvents(tree.root, [], today)).toThrow(releasedPath);
  });
});

test('MIG-14, X-001: this repository’s own events pass, all of them looked at', () => {
  const { status, stdout } = spawnSync(process.execPath, [join(repositoryRoot, 'tools/gates/events.ts')], {
    encoding: 'utf8',
  });
  expect(stdout).toMatch(/^events: looked at \d+ subjects \(floor 90\), 0 problems$/m);
  expect(status).toBe(0);
});
