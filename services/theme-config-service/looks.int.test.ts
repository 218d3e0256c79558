import { randomUUID } from 'node:crypto';
import { newId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PresetView, ThemeView } from './contract/resources.ts';
import { PresetPublished, type SiteTheme, TokensChanged } from './contract.ts';
import { openSite, type Person, type Site } from './fixtures/site.ts';
import { overlay, platformLook, withKinds } from './model.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const name = [{ locale: 'en', text: 'Plain' }];
const red = { name: 'colour.primary' as const, value: '#8c1c2b' };
type Published = { preset: PresetView; moved: string[]; stayed: string[] };
const publish = (who: Person, id: string, version: number, headers?: object) =>
  site.send<Published>(who, 'POST', `/presets/${id}/publish`, { version }, headers);
const redraft = (who: Person, { id, version }: PresetView, tokens: object) =>
  site.send<PresetView>(who, 'PUT', `/presets/${id}/draft`, { version, name, tokens });

describe('EVT-16: presets', () => {
  test('a draft tells nobody and may be unfinished; publishing tells all its tokens, each version once', async () => {
    const who = site.person('manager');
    const { body: draft } = await site.send<PresetView>(who, 'POST', '/presets', { name, tokens: [red] });
    expect(draft).toMatchObject({ status: 'draft', presetVersion: 0, changed: true, version: 1 });
    const early = await publish(who, draft.id, 1);
    expect(early).toMatchObject({ status: 422, body: { code: 'PRESET_INCOMPLETE' } });
    expect(early.body.issues?.map(({ path }) => path)).toContain('font.body');
    expect(await site.published(who)).toEqual([]);

    await redraft(who, draft, platformLook);
    const headers = { 'idempotency-key': randomUUID() };
    const { body } = await publish(who, draft.id, 2, headers);
    expect(body).toMatchObject({
      preset: { status: 'published', presetVersion: 1, changed: false, version: 3 },
      moved: [],
      stayed: [],
    });
    expect((await publish(who, draft.id, 2, headers)).body).toEqual(body);
    expect(await publish(who, draft.id, 3)).toMatchObject({
      status: 409,
      body: { code: 'NOTHING_TO_PUBLISH' },
    });
    const payload = { presetId: draft.id, presetVersion: 1, name, tokens: withKinds(platformLook) };
    expect(await site.published(who, PresetPublished)).toMatchObject([{ aggregateVersion: 3, payload }]);
  });

  test('a look that nobody could read is not published', async () => {
    const who = site.person();
    const tokens = overlay(platformLook, [{ name: 'colour.on-primary', value: '#1f6f5d' }]);
    const { body } = await site.send<PresetView>(who, 'POST', '/presets', { name, tokens });
    const reply = await publish(who, body.id, 1);
    expect(reply).toMatchObject({ status: 422, body: { code: 'CONTRAST_TOO_LOW' } });
    expect(reply.body.issues).toMatchObject([{ path: 'colour.on-primary', code: 'contrast' }]);
    expect(await site.published(who)).toEqual([]);
  });

  test('brands follow a new version where they stay readable, and keep the old one where not', async () => {
    const who = site.person();
    const { preset, theme } = await site.brand(who, [{ name: 'radius.card', value: '0px' }]);
    const propertyId = await site.property(who);
    // Its own dark text is fine on the light surface of version 1 and unreadable on a dark one.
    const own = [{ name: 'colour.text' as const, value: '#000000' }];
    const { body: house } = await site.send<ThemeView>(who, 'POST', '/themes', {
      propertyId,
      presetId: preset.id,
      overrides: own,
    });
    const dark = overlay(platformLook, [
      { name: 'colour.background', value: '#101418' },
      { name: 'colour.surface', value: '#1b2127' },
      { name: 'colour.text', value: '#f5f2ec' },
      { name: 'colour.muted-text', value: '#c9c2b6' },
      { name: 'colour.primary', value: '#6fd3b8' },
      { name: 'colour.on-primary', value: '#101418' },
    ]);
    await redraft(who, preset, dark);
    const { body } = await publish(who, preset.id, 3);
    expect(body).toMatchObject({ moved: [theme.id], stayed: [house.id] });
    const shown = (await site.visit<SiteTheme>(who, '/site/theme')).body;
    expect(shown).toMatchObject({ themeId: theme.id, themeVersion: 2 });
    const radius = { name: 'radius.card', kind: 'radius', value: '0px' };
    expect(shown.tokens).toContainEqual(radius);
    expect(shown.tokens).toContainEqual({ name: 'colour.background', kind: 'colour', value: '#101418' });
    const changes = await site.published(who, TokensChanged);
    expect(changes.map(({ aggregateId, aggregateVersion }) => [aggregateId, aggregateVersion])).toEqual([
      [theme.id, 1],
      [house.id, 1],
      [theme.id, 2],
    ]);
    // Its own radius is as it was.
    const colours = ['background', 'surface', 'text', 'muted-text', 'primary', 'on-primary'];
    const changed = colours.map(colour => `colour.${colour}`);
    expect(changes[2]?.payload).toMatchObject({ presetVersion: 2, themeVersion: 2, changed });
  });
});

describe('EVT-17: brands', () => {
  test('a brand tells all its tokens, and with each change what changed', async () => {
    const who = site.person();
    const { preset, theme } = await site.brand(who);
    const change = { presetId: preset.id, overrides: [red] };
    const path = `/themes/${theme.id}`;
    const { body } = await site.send<ThemeView>(who, 'PUT', path, { version: 1, ...change });
    expect(body).toMatchObject({ version: 2, overrides: [red] });
    const tokens = withKinds(overlay(platformLook, [red]));
    const facts = { themeId: theme.id, propertyId: null, presetId: preset.id, presetVersion: 1 };
    expect(await site.published(who, TokensChanged)).toMatchObject([
      { payload: { ...facts, themeVersion: 1, changed: platformLook.map(one => one.name) } },
      { aggregateVersion: 2, payload: { ...facts, themeVersion: 2, tokens, changed: ['colour.primary'] } },
    ]);
    const same = await site.send(who, 'PUT', path, { version: 2, ...change });
    expect(same).toMatchObject({ status: 200, body: { version: 3 } });
    expect(await site.published(who, TokensChanged)).toHaveLength(2);
    const stale = await site.send(who, 'PUT', path, { version: 2, ...change });
    expect(stale).toMatchObject({ status: 409, body: { code: 'VERSION_CONFLICT' } });
  });

  test('colours that cannot be read are refused and change nothing', async () => {
    const who = site.person();
    const { preset, theme } = await site.brand(who);
    const pale = { name: 'colour.primary', value: '#fbf8f4' };
    const change = { version: 1, presetId: preset.id, overrides: [pale] };
    const reply = await site.send(who, 'PUT', `/themes/${theme.id}`, change);
    expect(reply).toMatchObject({ status: 422, body: { code: 'CONTRAST_TOO_LOW' } });
    expect(await site.themeOf(who.tenantId, null)).toMatchObject({ themeVersion: 1 });
  });

  test('there is one brand per place, on a published look, for a property that exists', async () => {
    const who = site.person();
    const { preset } = await site.brand(who);
    const create = (body: object) =>
      site.send(who, 'POST', '/themes', { propertyId: null, presetId: preset.id, ...body });
    expect(await create({})).toMatchObject({ status: 409, body: { code: 'THEME_EXISTS' } });
    expect(await create({ propertyId: newId('pro') })).toMatchObject({ status: 404 });
    expect(await create({ presetId: newId('thp') })).toMatchObject({ status: 404 });
    const draft = await site.send<PresetView>(who, 'POST', '/presets', { name, tokens: platformLook });
    const propertyId = await site.property(who);
    const early = await create({ propertyId, presetId: draft.body.id });
    expect(early).toMatchObject({ status: 409, body: { code: 'PRESET_NOT_PUBLISHED' } });
    expect(await create({ propertyId })).toMatchObject({ status: 201 });
  });
});

test('a site shows the look of its house, else of its group, else the platform’s own', async () => {
  const who = site.person();
  const propertyId = await site.property(who);
  const visit = () => site.visit<SiteTheme>(who, `/site/theme?propertyId=${propertyId}`);
  const plain = await visit();
  expect(plain.body).toEqual({ themeId: null, themeVersion: 0, tokens: withKinds(platformLook) });
  expect(plain.headers['cache-control']).toBe('public, max-age=60');
  expect(String(plain.headers.vary).toLowerCase()).toContain('x-tenant-slug');
  const { preset, theme } = await site.brand(who, [red]);
  expect((await visit()).body).toMatchObject({ themeId: theme.id, themeVersion: 1 });
  const { body: own } = await site.send<ThemeView>(who, 'POST', '/themes', {
    propertyId,
    presetId: preset.id,
  });
  expect((await visit()).body).toMatchObject({ themeId: own.id });
  expect(await site.themeOf(who.tenantId, propertyId)).toMatchObject({ themeId: own.id });
  expect(await site.themeOf(who.tenantId, null)).toMatchObject({ themeId: theme.id });
  expect(await site.themeOf(newTenantId(), propertyId)).toMatchObject({ themeId: null });
});
