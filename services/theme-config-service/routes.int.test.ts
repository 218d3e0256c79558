import type { AnyRoute } from '@ghasi/http/route';
import { routeTable } from '@ghasi/http/route-table';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BlockView } from './contract/resources.ts';
import { openSite, type Person, type Site } from './fixtures/site.ts';
import { platformLook } from './model.ts';
import { service } from './service.ts';

let site: Site;
let owner: Person;
let at: { presetId: string; themeId: string; blockId: string };
const text = [{ locale: 'en', text: 'Welcome' }];
const block = { placement: 'home', position: 0, text };
beforeAll(async () => {
  site = await openSite();
  owner = site.person();
  const { preset, theme } = await site.brand(owner);
  const { body } = await site.send<BlockView>(owner, 'POST', `/themes/${theme.id}/blocks`, block);
  at = { presetId: preset.id, themeId: theme.id, blockId: body.id };
});
afterAll(() => site.close());

/** One good body per route that takes one. */
const good: Record<string, () => Record<string, unknown>> = {
  'POST /api/v1/presets': () => ({ name: text, tokens: platformLook }),
  'PUT /api/v1/presets/:presetId/draft': () => ({ version: 2, name: text, tokens: platformLook }),
  'POST /api/v1/presets/:presetId/publish': () => ({ version: 2 }),
  'POST /api/v1/themes': () => ({ propertyId: null, presetId: at.presetId, overrides: [] }),
  'PUT /api/v1/themes/:themeId': () => ({ version: 1, presetId: at.presetId, overrides: [] }),
  'POST /api/v1/themes/:themeId/blocks': () => block,
  'PUT /api/v1/blocks/:blockId': () => ({ version: 1, ...block }),
  'POST /api/v1/blocks/:blockId/withdraw': () => ({ version: 1 }),
};

const nameOf = (route: AnyRoute) => `${route.method} ${route.path}`;
const withBody = service.routes.filter(route => route.body !== undefined);
const pathOf = (route: AnyRoute) =>
  route.path.replace('/api/v1', '').replace(/:(\w+)/, (_, name: keyof typeof at) => at[name]);

/** Every table of the service as one text: equal before and after means nothing was written. */
async function everything(): Promise<string> {
  const names = await site.database.admin<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'theme_config'::regnamespace and relkind = 'r' order by 1`,
  );
  const parts = names.map(
    ({ name }) =>
      `(select coalesce(string_agg(t::text, '|' order by t::text), '') from theme_config.${name} t)`,
  );
  const [found] = await site.database.admin<{ all: string }>(
    `select md5(concat_ws('#', ${parts.join(', ')})) as all`,
  );
  return found?.all ?? '';
}

const oddValues = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1.5,
    1e21,
    2 ** 31,
    '',
    ' ',
    'x'.repeat(5_000),
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom<unknown>(
    'a\u0000b',
    'tab\there',
    '\ud800',
    'XXX',
    'Mars/Base',
    '0000-01-01',
    '2026-02-30',
    '24:00',
  ),
  fc.constantFrom<unknown>(
    [{ locale: 'en', text: 'a\u0000b' }],
    [{ locale: 'fr', text: 'x' }],
    [{ name: 'colour.primary', value: 'red' }],
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const strangers = fc.constantFrom(
  'tenant_id',
  'tenantId',
  'id',
  'status',
  'themeVersion',
  'constructor',
  'x',
);

type Odd = { at: number; value: unknown; how: 'replace' | 'remove' | 'add'; key: string };
const oddities: fc.Arbitrary<Odd> = fc.record({
  at: fc.nat(),
  value: oddValues,
  how: fc.constantFrom('replace' as const, 'replace' as const, 'remove' as const, 'add' as const),
  key: strangers,
});

function spoil(body: Record<string, unknown>, { at: n, value, how, key }: Odd): Record<string, unknown> {
  const keys = Object.keys(body);
  const target = keys[n % keys.length] as string;
  if (how === 'add') return { ...body, [key]: value };
  if (how === 'replace') return { ...body, [target]: value };
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== target));
}

test('every route that takes a body is tried with one', () => {
  expect(withBody.map(nameOf).sort()).toEqual(Object.keys(good).sort());
});

test.each(withBody.map(route => [nameOf(route), route] as const))(
  'VAL-01: %s refuses a body outside its schema with 400 and writes nothing, and never answers 5xx',
  async (name, route) => {
    await fc.assert(
      fc.asyncProperty(oddities, async odd => {
        const spoilt = JSON.parse(
          JSON.stringify(spoil((good[name] as () => Record<string, unknown>)(), odd)),
        );
        const fits = route.body?.safeParse(spoilt).success === true;
        const before = fits ? '' : await everything();
        const { status } = await site.send(owner, route.method, pathOf(route), spoilt);
        expect(status).toBeLessThan(500);
        if (fits) return;
        expect(status).toBe(400);
        expect(await everything()).toBe(before);
      }),
      { numRuns: 25 },
    );
  },
);

test.each(['thm_x', 'thp_01J8ZQ6M3N4P5R6S7T8V9WXYZ0', '%27', '..%2f..'])(
  'a malformed id such as %s is refused before the database is asked',
  async id => {
    expect(await site.send(owner, 'GET', `/themes/${id}`)).toMatchObject({ status: 400 });
  },
);

test('safety-11: who may call what', async () => {
  const table = routeTable([service]).map(
    row =>
      `${row.method} ${row.path.replace('/api/v1', '')}: ${row.auth === 'open' ? 'open' : row.roles.join(' ')}`,
  );
  expect(table).toEqual([
    'PUT /blocks/:blockId: manager owner',
    'POST /blocks/:blockId/withdraw: manager owner',
    'GET /presets: manager owner',
    'POST /presets: manager owner',
    'GET /presets/:presetId: manager owner',
    'PUT /presets/:presetId/draft: manager owner',
    'POST /presets/:presetId/publish: manager owner',
    'GET /site/content: open',
    'GET /site/theme: open',
    'GET /themes: manager owner',
    'POST /themes: manager owner',
    'GET /themes/:themeId: manager owner',
    'PUT /themes/:themeId: manager owner',
    'GET /themes/:themeId/blocks: manager owner',
    'POST /themes/:themeId/blocks: manager owner',
  ]);
  const desk = site.person('front_desk', owner.tenantId);
  expect(await site.send(desk, 'GET', '/themes')).toMatchObject({ status: 403 });
  expect(await site.send(undefined, 'GET', '/themes')).toMatchObject({ status: 401 });
});
