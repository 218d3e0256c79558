import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import { addDays, type LocalDate } from '@ghasi/domain-primitives/local-date';
import type { JobCtx } from '@ghasi/jobs/define-job';
import { newTenantId, testActor } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { directoryMedium } from './adapters/directory.ts';
import { tableMedium } from './adapters/table.ts';
import { anchorConformance } from './anchor.conformance.ts';
import type { AnchorCtx, AnchorMedium } from './anchor.ts';
import { sealDay } from './commands/seal-day.ts';
import { MerkleAnchored } from './contract.ts';
import { type House, openHouse } from './fixtures/house.ts';
import { merkleRoot } from './merkle.ts';
import { dayOf } from './model.ts';
import { readHead } from './queries/chain.ts';
import { listRoots } from './queries/roots.ts';

let house: House;
let folder: string;
let isAway = false;

/** The directory, behind a line that can be cut. */
const directory = (): AnchorMedium => {
  const medium = directoryMedium(folder);
  return {
    ...medium,
    put: (...args) => (isAway ? Promise.reject(new Error('no route to host')) : medium.put(...args)),
  };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-roots-'));
  house = await openHouse({ media: [directory()] });
});
afterAll(async () => {
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const rootsOf = (tenantId: TenantId) =>
  house.inside(tenantId, ({ tx }) => listRoots(tx, { from: '2000-01-01' as LocalDate, limit: 100 }));

/** As a job would give it, for any tenant. */
const transactions = (): AnchorCtx => ({
  transaction: (work, options) =>
    tenantTransaction(house.db, { tenantId: options?.tenantId as TenantId, actor: testActor }, ctx =>
      work(ctx as JobCtx),
    ),
});

anchorConformance('a table', async () => ({ medium: tableMedium, ctx: transactions() }));
anchorConformance('a directory', async () => ({ medium: directoryMedium(folder), ctx: transactions() }));

test('a directory holds one file for each day that nobody may write, and no drafts', async () => {
  const tenantId = newTenantId();
  await house.grow(tenantId, 3, daysAgo(2));
  await house.anchorDays();
  const files = await readdir(join(folder, tenantId));
  expect(files).toEqual([`${dayOf(daysAgo(2))}.json`]);
  const file = join(folder, tenantId, files[0] as string);
  expect((await stat(file)).mode & 0o222).toBe(0);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ tenantId, lastPosition: 3 });
});

describe('JOB-39, EVT-78: days that are over', () => {
  test('get a root each, chained to the day before that had entries; today gets none', async () => {
    const tenantId = newTenantId();
    for (const days of [5, 3, 2, 0]) await house.grow(tenantId, days + 1, daysAgo(days));
    await house.anchorDays();
    const chain = await house.chain(tenantId);
    const roots = await rootsOf(tenantId);
    expect(roots.map(({ day, firstPosition, lastPosition }) => [day, firstPosition, lastPosition])).toEqual([
      [dayOf(daysAgo(5)), 1, 6],
      [dayOf(daysAgo(3)), 7, 10],
      [dayOf(daysAgo(2)), 11, 13],
    ]);
    for (const [index, { firstPosition, lastPosition, rootHash, previousRootHash }] of roots.entries()) {
      const entries = chain.slice(firstPosition - 1, lastPosition);
      expect(rootHash).toBe(merkleRoot(entries.map(({ entryHash }) => entryHash)));
      expect(previousRootHash).toBe(roots[index - 1]?.rootHash ?? null);
    }
    const said = await house.said(tenantId, MerkleAnchored);
    expect(said).toEqual(
      roots.map(({ anchors, ...root }) => ({ ...root, anchorId: expect.any(String), ...anchors[0] })),
    );
  });

  test('are anchored once, however often the job runs', async () => {
    const tenantId = newTenantId();
    await house.grow(tenantId, 1, daysAgo(1));
    await house.anchorDays();
    await house.anchorDays();
    expect(await house.said(tenantId, MerkleAnchored)).toHaveLength(1);
    expect(await rootsOf(tenantId)).toHaveLength(1);
  });

  test('take no entry any more, whatever the clock of a process says', async () => {
    const tenantId = newTenantId();
    await house.grow(tenantId, 2, daysAgo(1));
    await house.anchorDays();
    const [late] = await house.grow(tenantId, 1, daysAgo(1));
    const sealed = dayOf(daysAgo(1));
    expect(late?.recordedAt).toBe(`${addDays(sealed, 1)}T00:00:00.000Z`);
    const head = await house.inside(tenantId, readHead);
    expect([head.sealedDay, head.openDay]).toEqual([sealed, addDays(sealed, 1)]);
  });

  test('are sealed by one of two that try at once', async () => {
    const tenantId = newTenantId();
    await house.grow(tenantId, 2, daysAgo(1));
    const tries = await Promise.all([1, 2, 3].map(() => house.inside(tenantId, sealDay)));
    expect(tries.filter(root => root !== undefined)).toHaveLength(1);
  });

  test('wait while a medium is away, and are anchored when it is back', async () => {
    const tenantId = newTenantId();
    await house.grow(tenantId, 2, daysAgo(1));
    isAway = true;
    await house.anchorDays();
    expect((await rootsOf(tenantId)).map(({ anchors }) => anchors)).toEqual([[]]);
    isAway = false;
    await house.anchorDays();
    expect((await rootsOf(tenantId)).map(({ anchors }) => anchors.length)).toEqual([1]);
  });
});

test('safety-26: roots, anchors and kept roots only grow', async () => {
  const tenantId = newTenantId();
  await house.grow(tenantId, 1, daysAgo(1));
  await house.anchorDays();
  for (const table of ['roots', 'anchors', 'kept_roots', 'entries', 'entries_0']) {
    for (const attempt of [`delete from ${table}`, `truncate ${table}`, `update ${table} set day = day`]) {
      await expect(house.db.pool.query(`set search_path = audit; ${attempt}`)).rejects.toMatchObject({
        code: '42501',
      });
    }
  }
});
