import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineJob, every, type LooseJobCtx } from './define-job.ts';
import { bindTask, defineTask } from './define-task.ts';

const plain = { input: z.strictObject({}), scope: 'system', run: async () => {} } as const;

test('JOB-05, JOB-06, JOB-13, JOB-15: a job has the defaults of the ledger', () => {
  expect(defineJob({ ...plain, name: 'iam.prune-sessions' })).toMatchObject({
    service: 'iam',
    queue: 'default',
    priority: 5,
    maxRetries: 3,
    timeoutSeconds: 300,
  });
});

test('X-148, JOB-23: low is an alias of bulk', () => {
  expect(defineJob({ ...plain, name: 'search.reindex.full', queue: 'low' }).queue).toBe('bulk');
});

test('JOB-04: a name of the ledger may belong to a service of another name', () => {
  expect(defineJob({ ...plain, name: 'cleanup.expired_holds', service: 'inventory' }).service).toBe(
    'inventory',
  );
});

describe('a definition that could not work is refused', () => {
  test.for([
    [{ name: 'Iam Prune' }, 'name'],
    [{ name: 'iam.x', priority: 11 }, 'priority'],
    [{ name: 'iam.x', priority: 0 }, 'priority'],
    [{ name: 'iam.x', maxRetries: -1 }, 'maxRetries'],
    [{ name: 'iam.x', timeoutSeconds: 0 }, 'timeoutSeconds'],
    [{ name: 'iam.x', backoff: { baseSeconds: 0 } }, 'baseSeconds'],
  ] as const)('%j', ([wrong, named]) => {
    expect(() => defineJob({ ...plain, ...wrong })).toThrow(named);
  });

  test('a job of a tenant cannot run as maintenance', () => {
    expect(() => defineJob({ ...plain, name: 'iam.x', scope: 'tenant', runAs: 'maintenance' })).toThrow(
      'system job',
    );
  });
});

describe('every', () => {
  const sweep = defineJob({ ...plain, name: 'shop.sweep' });

  test('reads an interval', () => {
    expect(every('10s', sweep).recurrence).toEqual({ kind: 'interval', seconds: 10 });
    expect(every('5m', sweep).recurrence).toEqual({ kind: 'interval', seconds: 300 });
  });

  test('reads a cron expression in a zone, UTC unless told otherwise', () => {
    expect(every('0 3 * * *', sweep).recurrence).toEqual({
      kind: 'cron',
      expression: '0 3 * * *',
      zone: 'UTC',
    });
    expect(every('0 3 * * *', sweep, { zone: 'Asia/Kabul' }).recurrence).toMatchObject({
      zone: 'Asia/Kabul',
    });
  });

  test('refuses less than a second and what is neither', () => {
    expect(() => every('500ms', sweep)).toThrow('whole seconds');
    expect(() => every('often', sweep)).toThrow('Not a duration');
  });

  test('refuses an input that the job would refuse', () => {
    const picky = defineJob({ ...plain, name: 'shop.picky', input: z.strictObject({ days: z.int() }) });
    expect(() => every('10s', picky)).toThrow('days');
    expect(every('10s', picky, { input: { days: 3 } }).input).toEqual({ days: 3 });
  });
});

test('a task is the same job before and after it is bound, and says so when nobody bound it', async () => {
  const task = defineTask({ name: 'shop.call', scope: 'tenant', input: z.strictObject({ id: z.string() }) });
  const bound = bindTask(task, async (_, { id }) => id);
  const ctx = {} as LooseJobCtx;
  expect({ ...bound, work: undefined }).toEqual({ ...task, work: undefined });
  expect(bound.work.transaction).toBe('none');
  expect(await bound.work.run(ctx as never, { id: 'a' })).toBe('a');
  await expect(task.work.run(ctx as never, { id: 'a' })).rejects.toThrow('shop.call was not bound');
});
