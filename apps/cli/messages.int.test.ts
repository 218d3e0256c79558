import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  changeOrder,
  OrderChanged,
  recordEffect,
  type Shop,
  shopMigrations,
  startShop,
  stock,
} from '@ghasi/backbone/fixtures/shop';
import { on, type Reaction } from '@ghasi/backbone/reaction';
import { AppError } from '@ghasi/domain-primitives/errors';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { createMetrics } from '@ghasi/telemetry/metrics';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { memoryFolder } from '@ghasi/testing/memory-folder';
import { quickLoad } from '@ghasi/testing/quick-load';
import { waitUntil } from '@ghasi/testing/signal';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { momentBetween } from './fixtures/moment.ts';
import { printing } from './fixtures/printed.ts';
import { type Ended, melm, run } from './fixtures/run-melm.ts';

const topic = 'shop.orders.order.changed.v1';
const consumer = 'stock-service.order-changed';
const reason = ['--reason', 'INC-17 mended', '--actor', 'nadia'];
const metrics = createMetrics();
/** While this is set, orders with the note "poison" cannot be applied. */
let isBroken = true;

let database: TestDatabase;
let env: Record<string, string>;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase({ migrations: shopMigrations });
  env = { DATABASE_URL: database.adminUrl, MELM_SECRET: database.secret };
  shop = await open();
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

function open(): Promise<Shop> {
  const fussy = on(OrderChanged, (ctx, order) => {
    if (isBroken && order.note === 'poison') throw new Error('stock would be negative');
    return recordEffect(ctx, order);
  }) as Reaction;
  return startShop(database, {
    stock: stock([fussy]),
    metrics,
    retry: { minBackoffMs: 1, maxBackoffMs: 1, maxAttempts: 2 },
    times: { heartbeatMs: 50, ackMs: 50 },
  });
}

/** What a command prints. */
const printed = (args: string[]) => printing(env)(args);
const json = async (args: string[]) => JSON.parse(await printed([...args, '--json']));
/** The same of a whole line, with its words as a shell takes them. */
const typed = (line: string) => {
  const words = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' }).split('\0');
  return printed(words.slice(1, -1));
};
const versions = async (tenantId: TenantId) =>
  (
    await database.admin<{ version: number }>(
      'select version from stock.effects where tenant_id = $1 order by seq',
      [tenantId],
    )
  ).map(({ version }) => version);
const applied = (tenantId: TenantId, count: number) =>
  waitUntil(`${count} effects`, async () => (await versions(tenantId)).length >= count);
const readAll = () =>
  waitUntil('nothing is behind', async () => {
    const [{ behind } = { behind: 1 }] = await database.admin<{ behind: number }>(
      'select count(*)::int as behind from brokers.cursor where off < (select max(off) from brokers.log)',
    );
    return behind === 0;
  });
const clock = () => momentBetween(database);
const skips = async () => {
  const line = /melmastoon_inbox_dedup_skips_total\{[^}]*order\.changed[^}]*\} (\d+)/.exec(
    await metrics.render(),
  );
  return Number(line?.[1] ?? 0);
};
/** How many dead letters there are, of one tenant or of all. */
const deadOf = async (tenantId?: TenantId) =>
  (
    await database.admin(
      `select from brokers.parked_key where state = 'dead' and tenant_id = coalesce($1, tenant_id)`,
      [tenantId],
    )
  ).length;
const entries = (action: string) =>
  database.admin('select actor, reason from brokers.operation where action = $1', [action]);

describe('a dead letter, from the alert to the applied event', () => {
  const tenantId = newTenantId();
  let id: number;

  test('DLQ-13, DLQ-20: melm dlq list and show say what failed, why, what waits and what to type next', async () => {
    for (const note of ['', 'poison', '', ''])
      await changeOrder(shop.orders, tenantId, { orderId: 'o1', note });
    await waitUntil('two wait behind the dead letter', async () => {
      const parked = await database.admin('select from brokers.parked_message where tenant_id = $1', [
        tenantId,
      ]);
      return parked.length === 3 && (await deadOf(tenantId)) === 1;
    });
    const [letter] = await json(['dlq', 'list', '--topic', `${topic}.dlq`]);
    expect(letter).toMatchObject({ topic, subscription: 'stock-service', tenantId, attempts: 2, waiting: 2 });
    id = letter.id;
    const list = await run(['dlq', 'list', '--subscription', 'stock'], env);
    expect(list.stdout).toMatch(/^id +topic +subscription +attempts +waiting +age\n/);
    expect(list.stdout).toMatch(
      new RegExp(
        `\\n${id} +${topic} +stock-service +2 +2 +\\d+ s\\n +stock would be negative\\n +tenant ${tenantId} +key o1\\n`,
      ),
    );
    const shown = await run(['dlq', 'show', String(id)], env);
    expect(shown.stdout).toContain(`Dead letter ${id} of stock-service`);
    expect(shown.stdout).toContain('last error  stock would be negative');
    expect(shown.stdout).toContain('2 messages of the same key');
    expect(shown.stdout).toContain('"note": "poison"');
    expect(shown.stdout).toContain(
      `melm dlq replay ${id} --subscription stock-service --reason 'INC-… mended in …'`,
    );
  });

  test('DLQ-24: a dry run names it and leaves it dead', async () => {
    const { stdout, code } = await run(['dlq', 'replay', String(id), '--dry-run'], env);
    expect(code).toBe(0);
    expect(stdout).toContain(
      '1 dead letter would be tried again, and 2 messages behind. Nothing was changed.',
    );
    expect(await deadOf(tenantId)).toBe(1);
    expect(await entries('dlq.replay')).toEqual([]);
  });

  test('DLQ-14, DLQ-15, DLQ-25: the command that was printed applies it in order and is audited', async () => {
    isBroken = false;
    const { stdout, code } = await run(
      ['dlq', 'replay', String(id), '--subscription', 'stock-service', ...reason],
      env,
    );
    expect({ stdout, code }).toEqual({
      code: 0,
      stdout: '1 dead letter will be tried again now, and 2 messages behind.\n',
    });
    await applied(tenantId, 4);
    expect(await versions(tenantId)).toEqual([1, 2, 3, 4]);
    expect((await run(['dlq', 'list'], env)).stdout).toBe('No dead letters.\n');
    expect(await entries('dlq.replay')).toEqual([{ actor: 'nadia', reason: 'INC-17 mended' }]);
    isBroken = true;
  });
});

test('DLQ-16, DLQ-23: quarantine and skip free the key of one tenant, keep a copy and touch nobody else', async () => {
  const [ours, theirs] = [newTenantId(), newTenantId()];
  const since = (await clock()).toISOString();
  for (const tenantId of [ours, theirs])
    for (const note of ['poison', 'poison', ''])
      await changeOrder(shop.orders, tenantId, { orderId: 'o2', note });
  await waitUntil('both are dead', async () => (await deadOf()) === 2);
  const of = ['--all', '--tenant', ours, ...reason];
  expect(await printed(['dlq', 'quarantine', ...of])).toMatch(/^1 dead letter quarantined; a copy is kept/);
  await waitUntil('the second one died', async () => (await deadOf(ours)) === 1);
  expect(await printed(['dlq', 'skip', ...of])).toMatch(/^1 dead letter skipped; a copy is kept/);
  await applied(ours, 1);
  expect([await versions(ours), await versions(theirs)]).toEqual([[3], []]);
  const settled = await json(['dlq', 'list', '--settled']);
  expect(settled.map(({ how, tenantId }: { how: string; tenantId: string }) => [how, tenantId])).toEqual([
    ['skipped', ours],
    ['quarantined', ours],
  ]);
  const copy = await printed(['dlq', 'show', String(settled[1].id)]);
  expect(copy).toContain(`Quarantined message ${settled[1].id} of stock-service`);
  expect(copy).toContain('"version": 1');
  await printed(['dlq', 'skip', '--all', ...reason]);
  await waitUntil('the other tenant’s second one died', async () => (await deadOf()) === 1);
  await printed(['dlq', 'skip', '--all', ...reason]);
  await applied(theirs, 1);

  // What was decided stays decided, also when the message comes again and could be applied by now.
  isBroken = false;
  const before = await skips();
  await printed(['seek', 'stock', '--to', since, ...reason]);
  await waitUntil('all six came again', async () => (await skips()) >= before + 6);
  expect([await versions(ours), await versions(theirs)]).toEqual([[3], [3]]);
  isBroken = true;
});

test('DLQ-27, DLQ-28, DLQ-37: a seek is a no-op for what was applied, and runs it again after its inbox rows were cleared', async () => {
  const tenantId = newTenantId();
  await changeOrder(shop.orders, tenantId, { orderId: 'o3' });
  await applied(tenantId, 1);
  const since = (await clock()).toISOString();
  for (let n = 0; n < 3; n++) await changeOrder(shop.orders, tenantId, { orderId: 'o3' });
  await applied(tenantId, 4);
  await readAll();

  const before = await skips();
  const plan = await printed(['seek', 'stock', '--to', since, '--dry-run']);
  expect(plan).toMatch(
    /^stock-service would stand before the message of .*\n {2}3 come again; .*\nNothing was changed\.\n$/,
  );
  expect(await json(['seek', 'stock', '--to', since, ...reason])).toMatchObject({
    again: { count: 3 },
    dryRun: false,
  });
  await waitUntil('the inbox passed over them', async () => (await skips()) === before + 3);
  expect(await versions(tenantId)).toEqual([1, 2, 3, 4]);

  const cleared = await printed(['inbox', 'clear', consumer, '--since', since, ...reason]);
  const again = `melm seek stock-service --to ${since} --reason 'INC-17 mended' --actor nadia`;
  expect(cleared).toBe(`${consumer} has forgotten 3 events. Deliver them again: ${again}\n`);
  await readAll();
  await typed(again);
  await applied(tenantId, 7);
  expect(await versions(tenantId)).toEqual([1, 2, 3, 4, 2, 3, 4]);
  expect(await entries('inbox.clear')).toEqual([{ actor: 'nadia', reason: 'INC-17 mended' }]);
});

test('DLQ-28: what a tenant’s inbox has forgotten is delivered again by the command that clearing it prints', async () => {
  const [ours, theirs] = [newTenantId(), newTenantId()];
  const since = (await clock()).toISOString();
  for (const tenantId of [ours, theirs]) await changeOrder(shop.orders, tenantId, { orderId: 'o8' });
  for (const tenantId of [ours, theirs]) await applied(tenantId, 1);
  await readAll();
  const clear = ['inbox', 'clear', consumer, '--since', since, '--tenant', ours, ...reason];
  const next = async (args: string[]) =>
    /has forgotten 1 event\. .*: (melm .*)\n$/.exec(await printed([...clear, ...args]))?.[1] ?? '';

  const all = await next([]);
  expect(all).toMatch(/^melm seek stock-service --to \S+ --tenant /);
  expect(await typed(all)).toMatch(/^1 event replayed to stock-service\./);
  await applied(ours, 2);
  await readAll();

  const part = await next(['--until', new Date(Date.now() + 3_600_000).toISOString(), '--topic', topic]);
  expect(part).toMatch(/^melm replay --to stock-service --since \S+ --until \S+ --topic \S+ --tenant /);
  expect(await typed(part)).toMatch(/^1 event replayed to stock-service\./);
  await applied(ours, 3);
  expect([await versions(ours), await versions(theirs)]).toEqual([[1, 1, 1], [1]]);
});

test('DLQ-15, DLQ-29, X-068: a replayed range reaches one service and one tenant; its inbox knows every event', async () => {
  const [ours, theirs] = [newTenantId(), newTenantId()];
  const since = (await clock()).toISOString();
  for (const tenantId of [ours, theirs])
    for (let n = 0; n < 2; n++) await changeOrder(shop.orders, tenantId, { orderId: 'o4' });
  await applied(theirs, 2);
  await applied(ours, 2);
  await readAll();
  const before = await skips();
  const range = [
    'replay',
    '--topic',
    topic,
    '--since',
    since,
    '--to',
    'stock',
    '--tenant',
    ours,
    '--idempotency-safe',
  ];
  expect(await printed([...range, '--dry-run'])).toBe(
    '2 events would be replayed to stock-service. Nothing was changed.\n',
  );
  expect(await printed([...range, ...reason])).toMatch(
    /^2 events replayed to stock-service\. Its inbox passes over/,
  );
  await waitUntil('the inbox passed over them', async () => (await skips()) === before + 2);
  expect([await versions(ours), await versions(theirs)]).toEqual([
    [1, 2],
    [1, 2],
  ]);
  const copies = await database.admin(
    `select l.event_id, l.attributes ->> 'replayTarget' as target, o.event_id as original
     from brokers.log l join brokers.log o on o.off = (l.attributes ->> 'replayOf')::bigint
     where l.tenant_id = $1`,
    [ours],
  );
  expect(copies).toHaveLength(2);
  for (const { event_id, original, target } of copies) {
    expect(event_id).toBe(original);
    expect(target).toBe('stock-service');
  }
  const tenantSeek = await printed(['seek', 'stock', '--to', since, '--tenant', theirs, ...reason]);
  expect(tenantSeek).toMatch(/^2 events replayed to stock-service\./);
});

test('OBS-09, OBS-10, X-046, X-054: what cannot be published is listed, and released into its old place or skipped', async () => {
  const tenantId = newTenantId();
  await shop.stop();
  const producer = await startShop(database, { relay: false, consumers: false });
  for (let n = 0; n < 3; n++) await changeOrder(producer.orders, tenantId, { orderId: 'o5' });
  await producer.stop();
  const waiting = await printed(['outbox', '--tenant', tenantId]);
  expect(waiting).toMatch(/^outbox +unpublished +oldest +failing +quarantined\n/);
  expect(waiting).toMatch(/\norders +3 +\d+ s +0 +0\n/);
  await database.admin(
    `with gone as (delete from orders.outbox where aggregate_version < 3 returning *)
     insert into orders.outbox_quarantine select g.*, now(), '50 attempts' from gone g`,
  );
  expect(await json(['outbox', 'status'])).toContainEqual(
    expect.objectContaining({ schema: 'orders', unpublished: 1, quarantined: 2 }),
  );
  const [first, second] = await json(['outbox', 'quarantine', 'orders-service']);
  expect(second.seq).toBeGreaterThan(first.seq);
  const plan = await printed(['outbox', 'release', 'orders', '--all', '--dry-run']);
  expect(plan).toContain('2 rows would be put back to be published. Nothing was changed.');
  expect(await json(['outbox', 'release', 'orders', String(first.seq), '--skip', ...reason])).toMatchObject({
    how: 'skip',
  });
  expect(await printed(['outbox', 'release', 'orders', '--all', ...reason])).toBe(
    '1 row put back to be published.\n',
  );
  expect(await printed(['outbox', 'quarantine'])).toBe('Nothing is in quarantine.\n');
  shop = await open();
  await applied(tenantId, 2);
  expect(await versions(tenantId)).toEqual([2, 3]);
  expect([await entries('outbox.skip'), await entries('outbox.release')].flat()).toHaveLength(2);
});

test('OBS-15: melm subscriptions says who serves, how far behind it is and what waits', async () => {
  const nothingLeft = /\nstock-service +1 +0 +- +0 +0 +0\n/;
  const stdout = await waitUntil('everything is read', async () => {
    const text = await printed(['subscriptions']); // cursors are written twice a second
    return nothingLeft.test(text) ? text : undefined;
  });
  expect(stdout).toMatch(
    /^subscription +processes +not read +oldest +keys retrying +keys dead +waiting behind\n/,
  );
});

describe('what is asked for wrongly is refused in one line with exit code 2', () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  test.each<[string, string[], RegExp]>([
    [
      'an unknown service',
      ['seek', 'spa', '--to', 'end', ...reason],
      /No service consumes as spa; there are: .*stock-service/,
    ],
    ['an unknown subscription', ['dlq', 'list', '--subscription', 'spa'], /No service consumes as spa/],
    [
      'an unknown topic',
      ['dlq', 'list', '--topic', 'shop.orders.order.chnged.v1'],
      /No event is called shop\.orders\.order\.chnged\.v1/,
    ],
    [
      'a moment in words',
      ['seek', 'stock', '--to', 'yesterday', ...reason],
      /--to: "yesterday" is not a moment; write it like 2026-/,
    ],
    [
      'a day the calendar does not have',
      ['replay', '--to', 'stock', '--since', '2026-02-30T00:00:00Z', ...reason],
      /--since: "2026-02-30T00:00:00Z" is not a moment/,
    ],
    ['a moment to come', ['seek', 'stock', '--to', soon, ...reason], /it is in the future/],
    [
      'a range beyond the inbox',
      [
        'replay',
        '--to',
        'stock',
        '--since',
        '2026-01-01T00:00:00Z',
        '--rebuildable',
        '--idempotency-safe',
        ...reason,
      ],
      /inboxes forget after 30 days/,
    ],
    ['a tenant that is none', ['dlq', 'list', '--tenant', 'bala-hissar'], /Not a tenant id/],
    ['an id that is none', ['dlq', 'show', '12a'], /The id: "12a" is not a whole number/],
    ['an id that is not there', ['dlq', 'skip', '999999', ...reason], /There is no dead letter 999999/],
    [
      'a subscription that is served',
      ['subscriptions', 'drop', 'stock', ...reason],
      /the process \S+ serves stock-service and was heard of \d+ s ago\. Stop it first\./,
    ],
    ['no reason', ['dlq', 'replay', '--all'], /Say why with --reason/],
    ['neither ids nor --all', ['dlq', 'skip', ...reason], /Say which: ids from "melm dlq list", or --all/],
    [
      'an unknown consumer',
      ['inbox', 'clear', 'stock-service.order-chnged', '--since', new Date().toISOString(), ...reason],
      /there are: stock-service\.order-changed/,
    ],
    [
      'a range to forget from before the beginning of the log',
      ['inbox', 'clear', consumer, '--since', '2026-01-01T00:00:00Z', ...reason],
      /the log is kept 7 days and begins at \S+Z; what was published before is gone/,
    ],
    [
      'a range from before the beginning of the log',
      ['replay', '--to', 'stock', '--since', '2026-01-01T00:00:00Z', '--rebuildable', ...reason],
      /the log is kept 7 days and begins at \S+Z; what was published before is gone/,
    ],
    [
      'an unknown outbox',
      ['outbox', 'release', 'spa', '--all', ...reason],
      /No service has an outbox in the schema spa/,
    ],
    [
      'what is in the log once more from the outboxes',
      ['republish', '--since', new Date().toISOString(), ...reason],
      /what was published is in the log of PostgreSQL\. Use "melm seek"/,
    ],
    [
      'one tenant to the end',
      ['seek', 'stock', '--to', 'end', '--tenant', newTenantId(), ...reason],
      /give a moment with --to, not end/,
    ],
  ])('DLQ-14, DLQ-26: %s', async (_, args, line) => {
    const refusal = await printed(args).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(AppError); // which melm prints as one line and answers with 2
    expect((refusal as AppError).message).toMatch(line);
    expect((refusal as AppError).message).not.toContain('\n');
  });

  test('DLQ-14: a database that was never migrated', async () => {
    const bare = await testDatabase({ empty: true });
    const { code, stderr } = await run(['dlq', 'list'], { ...env, DATABASE_URL: bare.adminUrl });
    await bare.drop();
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'melm: This database has no message log yet: run "melm migrate" first.\n',
    });
  });
});

describe('the tools under their names in the runbook', () => {
  const tool = async (name: string, args: string[]): Promise<Ended> => {
    const path = fileURLToPath(new URL(`../../tools/${name}`, import.meta.url));
    const child: ChildProcess = spawn(path, args, {
      env: { ...quickLoad, PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    child.stdout?.on('data', chunk => (said.stdout += chunk));
    child.stderr?.on('data', chunk => (said.stderr += chunk));
    const code = await new Promise<number | null>(resolve => child.once('close', resolve));
    return { code, ...said };
  };

  test('PATH-01, PATH-02, DLQ-13, DLQ-14: the inspector shows the top of a dead letter topic, the replay tool has it applied', async () => {
    const tenantId = newTenantId();
    const since = (await clock()).toISOString();
    await changeOrder(shop.orders, tenantId, { orderId: 'o6', note: 'poison' });
    await waitUntil('a dead letter', async () => (await deadOf(tenantId)) === 1);
    const shown = await tool('pubsub-dlq-inspector', [`--topic=${topic}.dlq`]);
    expect(shown.stdout).toContain('last error  stock would be negative');
    expect(shown.stdout).toContain('"note": "poison"');
    isBroken = false;
    const replayed = await tool('pubsub-replay', [
      `--topic=${topic}`,
      `--since=${since}`,
      '--idempotency-safe',
      ...reason,
    ]);
    expect(replayed).toMatchObject({ code: 0, stdout: '1 dead letter will be tried again now.\n' });
    await applied(tenantId, 1);
    const range = [`--topic=${topic}`, `--since=${since}`, '--idempotency-safe', '--to=stock', '--dry-run'];
    expect((await tool('pubsub-replay', range)).stdout).toBe(
      '1 event would be replayed to stock-service. Nothing was changed.\n',
    );
    isBroken = true;
  });
});

test('DLQ-13: beside a running melm on the embedded database the tools look at the same messages', {
  timeout: 120_000,
}, async () => {
  const folder = await memoryFolder('melm-cli-');
  const dataDir = join(folder, 'data');
  const platform = melm(['start', '--port', '0', '--no-demo', '--data-dir', dataDir]);
  await platform.ready;
  const outboxes = await run(['outbox', '--json', '--data-dir', dataDir]);
  const list = await run(['dlq', 'list', '--data-dir', dataDir]);
  platform.child.kill('SIGTERM');
  await platform.ended;
  await rm(folder, { recursive: true, force: true });
  expect({ code: list.code, stdout: list.stdout }).toEqual({ code: 0, stdout: 'No dead letters.\n' });
  const schemas = (JSON.parse(outboxes.stdout) as { schema: string }[]).map(({ schema }) => schema);
  expect(schemas).toEqual(expect.arrayContaining(['iam', 'tenant']));
});
