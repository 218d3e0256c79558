import { payloadHash } from '@ghasi/domain-primitives/canonical-json';
import { newId } from '@ghasi/domain-primitives/ids';
import { createLogger } from '@ghasi/telemetry/logger';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentOfAnswer } from './answers.ts';
import { type BlockView, contentOf, type SiteBlock } from './contract/resources.ts';
import { ContentBlockChanged } from './contract.ts';
import { openSite, type Person, type Site } from './fixtures/site.ts';
import { MOST_BLOCKS } from './model.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const text = [
  { locale: 'en', text: 'Below the citadel.\nTen minutes from the bazaar.' },
  { locale: 'fa-AF', text: 'پای بالاحصار' },
];
const home = { placement: 'home', position: 0, text };
const add = (who: Person, themeId: string, body: object = home) =>
  site.send<BlockView>(who, 'POST', `/themes/${themeId}/blocks`, body);
const shown = async (who: Person, query: string) =>
  (await site.visit<{ blocks: SiteBlock[] }>(who, `/site/content?${query}`)).body.blocks;

test('EVT-18: a text is told in all its languages with its hash, changed, withdrawn and shown again', async () => {
  const who = site.person('manager');
  const { theme } = await site.brand(who);
  const { status, body: block } = await add(who, theme.id);
  expect(status).toBe(201);
  expect(block).toMatchObject({ ...home, status: 'published', contentHash: payloadHash(text), version: 1 });
  const path = `/blocks/${block.id}`;
  const gone = await site.send<BlockView>(who, 'POST', `${path}/withdraw`, { version: 1 });
  expect(gone.body).toMatchObject({ status: 'withdrawn', text: null, contentHash: null, version: 2 });
  const again = await site.send(who, 'POST', `${path}/withdraw`, { version: 2 });
  expect(again).toMatchObject({ status: 409, body: { code: 'BLOCK_WITHDRAWN' } });
  const moved = { ...home, placement: 'footer', position: 7 };
  const back = await site.send<BlockView>(who, 'PUT', path, { ...moved, version: 2 });
  expect(back.body).toMatchObject({ ...moved, status: 'published', version: 3 });
  const stale = await site.send(who, 'PUT', path, { ...moved, version: 2 });
  expect(stale).toMatchObject({ status: 409, body: { code: 'VERSION_CONFLICT' } });
  const facts = { contentBlockId: block.id, themeId: theme.id, propertyId: null };
  expect(await site.published(who, ContentBlockChanged)).toMatchObject([
    { aggregateVersion: 1, payload: { ...facts, ...home, blockVersion: 1, contentHash: payloadHash(text) } },
    { aggregateVersion: 2, payload: { ...facts, blockVersion: 2, status: 'withdrawn', text: null } },
    { aggregateVersion: 3, payload: { ...facts, ...moved, blockVersion: 3, status: 'published' } },
  ]);
});

test('a guest reads the page in his language, in its order, without what was withdrawn', async () => {
  const who = site.person();
  const { theme } = await site.brand(who);
  await add(who, theme.id, { ...home, position: 5 });
  await add(who, theme.id, { ...home, position: 1, text: [{ locale: 'ps', text: 'ښه راغلاست' }] });
  const { body: old } = await add(who, theme.id, { ...home, position: 0 });
  await site.send(who, 'POST', `/blocks/${old.id}/withdraw`, { version: 1 });
  await add(who, theme.id, { ...home, placement: 'email' });
  expect((await shown(who, 'locale=fa-AF&placement=home')).map(one => one.text)).toEqual([
    'ښه راغلاست',
    'پای بالاحصار',
  ]);
  expect((await shown(who, 'locale=ps&placement=home')).map(one => one.locale)).toEqual(['ps', 'en']);
  expect(await shown(who, 'locale=en')).toHaveLength(3);
  expect(await shown(site.person(), 'locale=en')).toEqual([]);
});

test('a house with texts of its own shows those, and the group’s where it has none', async () => {
  const who = site.person();
  const { theme, preset } = await site.brand(who);
  const propertyId = await site.property(who);
  const { body: own } = await site.send<{ id: string }>(who, 'POST', '/themes', {
    propertyId,
    presetId: preset.id,
  });
  const says = (words: string) => [{ locale: 'en', text: words }];
  await add(who, theme.id, { ...home, text: says('group home') });
  await add(who, theme.id, { ...home, placement: 'footer', text: says('group footer') });
  await add(who, own.id, { ...home, text: says('house home') });
  const texts = (await shown(who, `locale=en&propertyId=${propertyId}`)).map(one => one.text).sort();
  expect(texts).toEqual(['group footer', 'house home']);
  const [told] = (await site.published(who, ContentBlockChanged)).slice(-1);
  expect(told?.payload).toMatchObject({ propertyId });
});

test('a brand has no more texts than a page can bear', async () => {
  const who = site.person();
  const { theme } = await site.brand(who);
  await site.database.admin(
    `insert into theme_config.content_blocks (tenant_id, id, theme_id, placement, position, text, content_hash)
     select tenant_id, gen_random_uuid(), id, 'home', 0, '[{"locale":"en","text":"x"}]', 'x'
     from theme_config.themes, generate_series(1, $2) where tenant_id = $1`,
    [who.tenantId, MOST_BLOCKS],
  );
  expect(await add(who, theme.id)).toMatchObject({ status: 409, body: { code: 'TOO_MANY_BLOCKS' } });
  expect(await add(who, newId('thm'))).toMatchObject({ status: 404 });
});

test('a booking site asks for the texts of its tenant in one language, and gets nobody else’s', async () => {
  const who = site.person('manager');
  const { theme } = await site.brand(who);
  await add(who, theme.id);
  const log = createLogger({ name: 'test', level: 'silent' });
  const ctx = { db: site.db, log, ask: () => Promise.reject(new Error('asks nobody')) };
  const ask = async (tenantId: typeof who.tenantId) => {
    const asked = { tenantId, propertyId: null, locale: 'fa-AF' as const };
    return contentOf.output.parse(await contentOfAnswer.handle(ctx, asked));
  };
  expect((await ask(who.tenantId)).blocks).toMatchObject([{ placement: 'home', text: 'پای بالاحصار' }]);
  expect(await ask(site.person().tenantId)).toEqual({ blocks: [] });
});
