import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Database, openClient, openDatabase, plainTypes, typeParsers } from './database.ts';
import { isConnectionLoss } from './pg-errors.ts';
import { type Prepared, queryPrepared, StatementSkipped } from './statement-batch.ts';

let database: TestDatabase;
let db: Database;
let client: PoolClient;
beforeAll(async () => {
  database = await testDatabase({ migrations: [] });
  db = openDatabase({ url: database.adminUrl, service: 'prepared-query-test' });
  client = await db.pool.connect();
  await client.query('create temporary table rooms (id int primary key, name text, rate bigint, day date)');
});
afterAll(async () => {
  client.release();
  await db.close();
  await database.drop();
});

let names = 0;
/** Runs a statement three times under one name: described, and twice as it is known. */
async function thrice(text: string, values: unknown[], more: object = {}) {
  const name = `thrice_${names++}`;
  const results = [];
  for (let time = 0; time < 3; time++)
    results.push(await queryPrepared(client, { name, text, values, types: typeParsers, ...more }));
  return results.map(({ command, rowCount, rows }) => ({ command, rowCount, rows }));
}

test('rows are the same whether the server was asked for their shape or not', async () => {
  const text = `select n as id, case when n > 1 then 'room ' || n end as name, n::bigint as rate, date '2026-03-21' as day
                from generate_series(1, $1::int) n`;
  const rows = [
    { id: 1, name: null, rate: 1n, day: '2026-03-21' },
    { id: 2, name: 'room 2', rate: 2n, day: '2026-03-21' },
  ];
  const expected = { command: 'SELECT', rowCount: 2, rows };
  expect(await thrice(text, [2])).toEqual([expected, expected, expected]);
  const arrays = { ...expected, rows: rows.map(row => Object.values(row)) };
  expect(await thrice(text, [2], { rowMode: 'array' })).toEqual([arrays, arrays, arrays]);
});

test('a statement without rows says how many it touched, every time', async () => {
  await thrice('insert into rooms (id) values ($1) on conflict do nothing', [7]);
  const touched = await thrice('update rooms set name = $1 where id = 7', ['seven']);
  expect(touched).toEqual(Array(3).fill({ command: 'UPDATE', rowCount: 1, rows: [] }));
  const none = await thrice('select id from rooms where name = $1', ['eight']);
  expect(none).toEqual(Array(3).fill({ command: 'SELECT', rowCount: 0, rows: [] }));
});

test('the same statement may be read with other parsers', async () => {
  const asked = { name: 'parsers', text: 'select 5::bigint as n where $1', values: [true] };
  const read = async (types: object) =>
    (await queryPrepared(client, { ...asked, types: types as typeof plainTypes })).rows[0].n;
  expect([await read(typeParsers), await read(plainTypes), await read(typeParsers)]).toEqual([5n, '5', 5n]);
});

test('an error is told once, and the statement works again', async () => {
  const divide = (by: unknown) => queryPrepared(client, { name: 'divide', text: DIVIDE, values: [by] });
  await expect(divide(0)).rejects.toMatchObject({ code: '22012' });
  expect((await divide(5)).rows).toEqual([{ share: 2 }]);
  await expect(divide('five')).rejects.toMatchObject({ code: '22P02' });
  expect((await divide(2)).rows).toEqual([{ share: 5 }]);
});

const DIVIDE = 'select 10 / $1::int as share';
const named = (text: string, values: unknown[] = []): Prepared => ({ name: `s${names++}`, text, values });
const send = (...statements: Prepared[]) =>
  Promise.allSettled(statements.map(statement => queryPrepared(client, statement)));

test('what is sent in one go is answered in its order, each by its own rows', async () => {
  const answers = await send(
    named('begin'),
    named('insert into rooms (id, name) values ($1, $2)', [20, 'twenty']),
    named('select name from rooms where id = $1', [20]),
    named('update rooms set name = name where false'),
    named('rollback'),
  );
  const seen = answers.map(answer => (answer.status === 'fulfilled' ? answer.value : answer.reason));
  expect(seen.map(({ command, rowCount, rows }) => [command, rowCount, rows])).toEqual([
    ['BEGIN', null, []],
    ['INSERT', 1, []],
    ['SELECT', 1, [{ name: 'twenty' }]],
    ['UPDATE', 0, []],
    ['ROLLBACK', null, []],
  ]);
  expect((client as PoolClient & { getTransactionStatus(): string }).getTransactionStatus()).toBe('I');
});

test('after one that fails, what was sent with it is not run, and says why; what follows is', async () => {
  const commit = named('commit');
  const answers = await send(
    named('begin'),
    named('insert into rooms (id) values ($1)', [30]),
    named(DIVIDE, [0]),
    named('insert into rooms (id) values ($1)', [31]),
    commit,
  );
  expect(answers.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
  ]);
  const [failed, ...skipped] = answers.slice(2).map(answer => (answer as PromiseRejectedResult).reason);
  expect(failed).toMatchObject({ code: '22012' });
  for (const reason of skipped) {
    expect(reason).toBeInstanceOf(StatementSkipped);
    expect(reason.cause).toBe(failed);
  }
  await client.query('rollback');
  const { rows } = await queryPrepared(client, named('select id from rooms where id in (30, 31)'));
  expect(rows).toEqual([]);
  await queryPrepared(client, commit); // it was not parsed then, and is now
});

test('values that cannot be written fail their statement and what was to follow; what was before is answered', async () => {
  const circle: Record<string, unknown> = {};
  circle.itself = circle;
  const answers = await send(named(DIVIDE, [2]), named('select $1::json', [circle]), named(DIVIDE, [5]));
  expect(answers[0]).toMatchObject({ value: { rows: [{ share: 5 }] } });
  expect((answers[1] as PromiseRejectedResult).reason).toBeInstanceOf(TypeError);
  expect((answers[2] as PromiseRejectedResult).reason).toBeInstanceOf(StatementSkipped);
  expect((await queryPrepared(client, named(DIVIDE, [5]))).rows).toEqual([{ share: 2 }]);
});

test('more values than the protocol can count fail their statement, and do not look like a lost connection', async () => {
  const many = Array.from({ length: 65_536 }, (_, n) => n);
  const marks = many.map(n => `$${n + 1}::int`).join();
  const answers = await send(
    named(DIVIDE, [2]),
    { name: '', text: `select array[${marks}] as all`, values: many },
    named(DIVIDE, [5]),
  );
  expect(answers[0]).toMatchObject({ value: { rows: [{ share: 5 }] } });
  const { reason } = answers[1] as PromiseRejectedResult;
  expect(reason.message).toMatch(/^A statement takes 65535 values at most/);
  expect(isConnectionLoss(reason)).toBe(false);
  expect((answers[2] as PromiseRejectedResult).reason).toBeInstanceOf(StatementSkipped);
  expect((await queryPrepared(client, named(DIVIDE, [5]))).rows).toEqual([{ share: 2 }]);
});

test.each([0, 1])('a statement can be sent again after %i good and one bad call', async goodOnes => {
  const name = `poisoned_${goodOnes}`;
  const call = (value: unknown) =>
    queryPrepared(client, { name, text: 'select $1::json as it', values: [value] });
  for (let n = 0; n < goodOnes; n++) await call({ n });
  await expect(call({ n: 1n })).rejects.toBeInstanceOf(TypeError);
  expect((await call({ n: 7 })).rows).toEqual([{ it: { n: 7 } }]);
});

test('a row that cannot be read fails its statement only', async () => {
  const types = { getTypeParser: () => () => JSON.parse('{') } as unknown as typeof plainTypes;
  const answers = await send(
    named(DIVIDE, [1]),
    { ...named(DIVIDE, [2]), types },
    { ...named(DIVIDE, [5]), types: typeParsers },
  );
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('other queries of the connection keep their place among what is sent in one go', async () => {
  const call = (name: string) =>
    queryPrepared(
      client,
      named('insert into rooms (id, name) values (40, $1) on conflict (id) do update set name = $1', [name]),
    );
  const ask = () => client.query('select name from rooms where id = 40');
  const seen = await Promise.all([call('first'), ask(), call('second'), ask()]);
  expect([seen[1].rows, seen[3].rows]).toEqual([[{ name: 'first' }], [{ name: 'second' }]]);
});

test('what is sent in one go leaves as one packet and is answered with one', async () => {
  const { stream } = (
    client as unknown as { connection: { stream: EventEmitter & { bytesWritten: number } } }
  ).connection;
  let packets = 0;
  const count = () => packets++;
  const write = vi.spyOn(stream as unknown as Socket, '_write');
  stream.on('data', count);
  await send(...Array.from({ length: 5 }, (_, n) => named(DIVIDE, [n + 1])));
  stream.off('data', count);
  expect([write.mock.calls.length, packets]).toEqual([1, 1]);
  write.mockRestore();
});

test('an error leads to whoever sent the statement', async () => {
  async function sender() {
    await queryPrepared(client, { name: 'nothing', text: 'select * from nowhere where $1', values: [true] });
  }
  const error = await sender().catch(failure => failure as Error);
  expect(error?.stack).toContain('sender');
});

test('a statement whose connection was cut fails, and so does one that is sent afterwards', async () => {
  const other = await openClient(database.adminUrl, 'prepared-query-cut');
  other.on('error', () => {});
  const asked = {
    name: 'wait',
    text: 'select pg_terminate_backend(pg_backend_pid()) where $1',
    values: [true],
  };
  await expect(queryPrepared(other, asked)).rejects.toThrow();
  await expect(queryPrepared(other, asked)).rejects.toThrow();
});
