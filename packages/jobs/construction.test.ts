import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { constructionSql } from './construction.ts';

test('the first migration is what the installed pg-boss would execute', async () => {
  const file = await readFile(new URL('./migrations/0001_init.sql', import.meta.url), 'utf8');
  // After an upgrade of pg-boss: never edit 0001; add a numbered file made of getMigrationPlans('jobs', 43).
  expect(file).toBe(constructionSql());
});
