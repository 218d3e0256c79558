import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openClient } from '@ghasi/db/database';
import { isRunning } from '@ghasi/db/embedded';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { freePorts } from '@ghasi/testing/free-ports';
import { memoryFolder } from '@ghasi/testing/memory-folder';
import { startOldPostgres } from '@ghasi/testing/old-postgres';
import { waitUntil } from '@ghasi/testing/signal';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { call } from './fixtures/api.ts';
import { type Melm, melm, npmStart, run } from './fixtures/run-melm.ts';

let folder: string;
let dataDir: string;
beforeAll(async () => {
  folder = await memoryFolder('melm-cli-');
  dataDir = join(folder, 'data');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const otherSecret = 'q8Zr2Lx0Vn5Jw7Tk3Bp9Hs1Dm4Gc6Fy0Aa';

const started: Melm[] = [];
afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
  }
});

function start(args: string[] = [], env?: Record<string, string>): Melm {
  const process = melm(['start', '--port', '0', '--data-dir', dataDir, ...args], env);
  started.push(process);
  return process;
}

const postgresPid = async () =>
  Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
const owner = { email: 'owner@bala-hissar.example', password: 'melma-guest-house' };

async function signIn(url: string, email = owner.email): Promise<string> {
  const reply = await call(`${url}/api/v1/auth/sign-in`, { body: { ...owner, email }, slug: 'bala-hissar' });
  expect(reply.status).toBe(200);
  return reply.body.accessToken as string;
}

describe('one embedded installation, from the first start to the doctor', () => {
  test('npm start serves demo hotels one can sign in to; Ctrl-C stops everything', async () => {
    const npm = npmStart(['--port', '0', '--data-dir', dataDir]);
    started.push(npm);
    const url = await npm.ready;
    expect((await call(`${url}/readyz`)).body).toEqual({ status: 'ready', checks: { database: 'ok' } });
    const token = await signIn(url);
    const tenant = await call(`${url}/api/v1/tenant`, { token });
    expect(tenant.status).toBe(200);
    expect(tenant.body).toMatchObject({ tenant: { name: 'Bala Hissar Guest House, Kabul' } });
    const pid = await postgresPid();
    npm.ctrlC();
    const { stdout, stderr } = await npm.ended; // npm itself ends by the signal; its streams close with the last of ours
    expect(stderr).toContain('melm: stopped');
    expect(stdout).toContain('owner@gazargah.example');
    // Providers send guests back to localhost, and their session is of the host on which they began.
    expect(stdout).toContain(`book        http://localhost:${new URL(url).port}/t/bala-hissar`);
    expect(await isRunning(pid, 'postgres')).toBe(false);
  });

  test('after kill -9 the next start recovers by itself and keeps what was written', async () => {
    const first = start();
    const url = await first.ready;
    const token = await signIn(url);
    const made = await call(`${url}/api/v1/tenant/slugs`, { body: { slug: 'bala-hissar-kabul' }, token });
    expect(made.status).toBe(200);
    const orphan = await postgresPid();
    first.child.kill('SIGKILL');
    await first.ended;
    expect(await isRunning(orphan, 'postgres')).toBe(true);

    const second = start();
    const again = await second.ready;
    const facts = await call(`${again}/api/v1/tenant/public`, { slug: 'bala-hissar-kabul' });
    expect(facts.status).toBe(200);
    expect(await isRunning(orphan, 'postgres')).toBe(false);
  });

  test('a second start on the same folder is refused in one line', async () => {
    const first = start();
    await first.ready;
    const { code, stderr } = await run(['start', '--port', '0', '--data-dir', dataDir]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^melm: Another melm \(process \d+\) already uses .*--data-dir\.$/m);
  });

  test('migrate and seed say what they did, and do nothing the second time', async () => {
    expect((await run(['migrate', '--data-dir', dataDir])).stdout).toMatch(
      /^The database is up to date.\nThis release can read all that is stored: /,
    );
    const seeded = await run(['seed', '--json', '--data-dir', dataDir]);
    expect(JSON.parse(seeded.stdout).accounts).toContainEqual(expect.objectContaining(owner));
    expect(seeded.code).toBe(0);
  });

  test('the doctor is content with what start, migrate and seed left behind', async () => {
    const healthy = await run(['doctor', '--data-dir', dataDir]);
    expect(healthy).toMatchObject({ code: 0, stdout: 'The database is exactly as this release makes it.\n' });
  });

  test('Ctrl-C during a command that has started the embedded server leaves no server behind', async () => {
    const doctor = melm(['doctor', '--data-dir', dataDir]);
    await waitUntil('the server takes connections', () =>
      postgresPid().then(
        pid => pid > 0,
        () => false,
      ),
    );
    const pid = await postgresPid();
    doctor.child.kill('SIGINT');
    expect(await doctor.ended).toEqual({ code: 130, stdout: '', stderr: '' });
    expect(await isRunning(pid, 'postgres')).toBe(false);
  });

  test('the doctor examines a database whose melm runs', async () => {
    const { ready } = start();
    await ready;
    const healthy = await run(['doctor', '--data-dir', dataDir]);
    expect(healthy).toMatchObject({ code: 0, stdout: 'The database is exactly as this release makes it.\n' });
  });

  test('--reset starts from nothing', async () => {
    const { ready } = start(['--reset', '--no-demo']);
    const url = await ready;
    const reply = await call(`${url}/api/v1/auth/sign-in`, { body: owner, slug: 'bala-hissar' });
    expect(reply.status).toBe(404);
  });
});

test.each([[['dlq', 'list']], [['doctor']]])(
  'melm %s in the wrong folder says so and makes no database there',
  async args => {
    const elsewhere = join(folder, 'elsewhere');
    const { code, stderr } = await run([...args, '--data-dir', elsewhere]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `melm: There is no database in ${elsewhere}. Say where with --data-dir or DATABASE_URL, or make one with "melm start".\n`,
    });
    expect(existsSync(elsewhere)).toBe(false);
  },
);

describe('what cannot start says why in one line and exits 2', () => {
  const refused = async (args: string[], env: Record<string, string>, line: RegExp) => {
    const { code, stderr } = await run(['start', '--data-dir', join(folder, 'never'), ...args], env);
    expect({ code, last: stderr.trim().split('\n').at(-1) }).toEqual({
      code: 2,
      last: expect.stringMatching(line),
    });
  };

  test('an unknown variable', () => refused([], { MELM_PROT: '1' }, /MELM_PROT is not known/));
  test('a bad variable', () => refused([], { PORT: 'eighty' }, /PORT must be a port number/));
  test('a bad flag', () => refused(['--port', 'eighty'], {}, /melm --help/));
  test('a service that does not exist', () =>
    refused([], { SERVICES: 'spa-service' }, /SERVICES names spa-service/));
  test('a database without a secret', () =>
    refused([], { DATABASE_URL: 'postgres://a@127.0.0.1:1/b' }, /MELM_SECRET is not set/));
  test('a database that is away', () =>
    refused(
      [],
      { DATABASE_URL: 'postgres://a@127.0.0.1:1/b', MELM_SECRET: 'q8Zr2Lx0Vn5Jw7Tk3Bp9Hs1Dm4Gc6Fy0Aa' },
      /PostgreSQL at 127\.0\.0\.1:1 does not let us in/,
    ));
  test('a database that is too old', async () => {
    const old = await startOldPostgres(140_011);
    await refused(
      [],
      { DATABASE_URL: old.url, MELM_SECRET: 'q8Zr2Lx0Vn5Jw7Tk3Bp9Hs1Dm4Gc6Fy0Aa' },
      /PostgreSQL 14 is too old: version 15 or newer/,
    );
    await old.close();
  });
  test('a taken port', async () => {
    const other = createServer();
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { code, stderr } = await run(['start', '--port', String(port), '--no-demo', '--data-dir', dataDir]);
    other.close();
    expect(code).toBe(2);
    expect(stderr.trim().split('\n').at(-1)).toBe(
      `melm: Port ${port} is taken. Stop the other program or choose another port with --port.`,
    );
    expect(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => 'stopped')).toBe(
      'stopped',
    );
  });
  test('an address that is none of this machine', () =>
    refused(
      ['--no-demo', '--port', '0', '--data-dir', dataDir],
      { HOST: '203.0.113.7' },
      /^melm: Nobody can be served at HOST 203\.0\.113\.7, PORT 0: listen EADDRNOTAVAIL/,
    ));
  test('an embedded database with another secret than it was made with', async () => {
    const [args, env] = [['--data-dir', dataDir], { MELM_SECRET: otherSecret }];
    await refused(args, env, /^melm: The embedded database in .* was set up with another secret/);
    expect((await run(['doctor', ...args], env)).code).toBe(2);
  });
  test('safety-27: demo people in production', () =>
    refused([], { MELM_ENV: 'production' }, /production, yet the demo data/));
  test('safety-27: failpoints in production', () =>
    refused(
      ['--no-demo'],
      { MELM_ENV: 'production', MELM_FAILPOINTS: 'db.before-commit=crash' },
      /production, yet MELM_FAILPOINTS/,
    ));
});

describe('several processes on one PostgreSQL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  test('safety-11, safety-17: a role or session that ends in one process is refused by the next request to another', async () => {
    const shared = { DATABASE_URL: database.adminUrl, MELM_SECRET: database.secret };
    // The two know each other only by address, so both ports must be known before either starts.
    const ports = await freePorts(2);
    const peers = (schema: string, port: number | undefined) => ({
      MELM_PEERS: `${schema}=http://127.0.0.1:${port}`,
    });
    const tenant = start(['--port', String(ports[0])], {
      ...shared,
      SERVICES: 'tenant-service',
      ...peers('iam', ports[1]),
    });
    await tenant.ready;
    const iam = start(['--port', String(ports[1])], {
      ...shared,
      SERVICES: 'iam-service',
      ...peers('tenant', ports[0]),
    });
    const [tenantUrl, iamUrl] = [await tenant.ready, await iam.ready];
    await run(['seed'], shared);

    // safety-11: a role counts for the other process from the next request on, and no longer than it is held.
    const token = await signIn(iamUrl);
    const desk = await signIn(iamUrl, 'desk@bala-hissar.example');
    const operators = () => call(`${iamUrl}/api/v1/operators`, { token: desk });
    const { memberships } = (await call(`${tenantUrl}/api/v1/tenant/memberships`, { token })).body as {
      memberships: { id: string; roles: string[]; version: number }[];
    };
    const clerk = memberships.find(({ roles }) => roles.includes('front_desk'));
    const setRoles = (roles: string[], version: number) =>
      call(`${tenantUrl}/api/v1/tenant/memberships/${clerk?.id}`, {
        method: 'PATCH',
        body: { roles, version },
        token,
      });
    expect((await operators()).status).toBe(403);
    expect((await setRoles(['manager'], clerk?.version ?? 0)).status).toBe(200);
    expect((await operators()).status).toBe(200);
    expect((await setRoles(['front_desk'], (clerk?.version ?? 0) + 1)).status).toBe(200);
    expect((await operators()).status).toBe(403);

    expect((await call(`${tenantUrl}/api/v1/tenant`, { token })).status).toBe(200);
    expect((await call(`${iamUrl}/api/v1/auth/sign-out`, { method: 'POST', token })).status).toBe(204);
    expect((await call(`${tenantUrl}/api/v1/tenant`, { token })).status).toBe(401);
  });

  test('a process with another secret than the others does not start, and leaves their passwords and events alone', async () => {
    const own = { DATABASE_URL: database.adminUrl, MELM_SECRET: database.secret };
    const mistaken = { ...own, MELM_SECRET: otherSecret };
    for (const args of [['start', '--port', '0', '--no-demo'], ['seed']]) {
      const { code, stderr } = await run(args, mistaken);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining('melm: This database was set up with another MELM_SECRET.'),
      });
    }
    expect((await run(['outbox'], own)).code).toBe(0); // signs in as a role whose password comes from it
  });

  test('the doctor names damage of a database that is not ours alone, and leaves it as it was', async () => {
    const env = { DATABASE_URL: database.adminUrl, MELM_SECRET: database.secret };
    await run(['migrate'], env);
    const client = await openClient(database.adminUrl, 'vandal');
    await client.query('alter table iam.operators no force row level security');
    const { code, stdout } = await run(['doctor'], env);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ different row security: iam.operators');
    expect(stdout).toContain(
      'repair    alter table iam.operators enable row level security, force row level security;',
    );
    const { rows } = await client.query(
      `select relforcerowsecurity as forced from pg_class where oid = 'iam.operators'::regclass`,
    );
    await client.end();
    expect(rows).toEqual([{ forced: false }]);
  });
});

test('describe lists every route with its roles and every event, and as JSON', async () => {
  const { stdout, code } = await run(['describe', '--json']);
  expect(code).toBe(0);
  const services = JSON.parse(stdout) as {
    name: string;
    routes: { path: string; roles: string[] }[];
    publishes: { subject: string; hearers: string[] }[];
    problems: string[];
  }[];
  expect(services).toHaveLength(24);
  const named = (name: string) => services.find(service => service.name === name);
  expect(named('reservation-service')?.publishes).toContainEqual(
    expect.objectContaining({
      subject: 'melmastoon.reservation.booking.held.v1',
      retention: 'warm',
      hearers: expect.arrayContaining(['inventory-service', 'audit-service']),
    }),
  );
  expect(services.flatMap(({ problems }) => problems)).toEqual([]);
  expect(named('iam-service')?.routes).toContainEqual(
    expect.objectContaining({ path: '/api/v1/auth/sign-in', auth: 'open' }),
  );
  expect((await run(['describe', 'iam'])).stdout).toContain('iam-service (schema iam)');
  expect(await run(['describe', 'spa'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^melm: No service is called spa; there are: tenant-service; iam-service/),
  });
});
