import { type TestDatabase, testDatabase } from '@ghasi/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEnvironment } from './environment.ts';
import { start } from './start.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test.for([
  [{}, { here: 200, elsewhere: 404 }],
  [{ MELM_METRICS: 'public' }, { here: 200, elsewhere: 200 }],
  [{ MELM_METRICS: 'off' }, { here: 404, elsewhere: 404 }],
] as const)('safety-53: a server with %j lets these read /metrics: %j', async ([env, expected]) => {
  const place = { DATABASE_URL: database.adminUrl, MELM_SECRET: database.secret, PORT: '0' };
  const few = { SERVICES: 'staff-service', ROLE: 'http', MELM_LOG_LEVEL: 'silent' };
  const running = await start(readEnvironment({ ...place, ...few, ...env }), { demo: false });
  try {
    const here = await fetch(`${running.url}/metrics`);
    const elsewhere = await fetch(`${running.url}/metrics`, { headers: { 'x-forwarded-for': '10.0.0.9' } });
    expect({ here: here.status, elsewhere: elsewhere.status }).toEqual(expected);
  } finally {
    await running.close();
  }
});
