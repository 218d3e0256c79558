import { newId } from '@ghasi/domain-primitives/ids';
import { doubleDeliveryContract } from '@ghasi/testing/double-delivery';
import { foreignLooksAbsent, isolationContract } from '@ghasi/testing/isolation';
import { PropertyCreated } from '@melmastoon/property-service/contract';
import { afterAll, beforeAll, describe } from 'vitest';
import { openSite, type Person, type Site } from './fixtures/site.ts';
import { service } from './service.ts';

let site: Site;
let a: Person;
let b: Person;
beforeAll(async () => {
  site = await openSite();
  [a, b] = [site.person(), site.person()];
  for (const who of [a, b]) {
    await site.property(who);
    const { theme } = await site.brand(who);
    const text = [{ locale: 'en', text: 'Welcome' }];
    await site.send(who, 'POST', `/themes/${theme.id}/blocks`, { placement: 'home', position: 0, text });
  }
});
afterAll(() => site.close());

describe('TEN-08, safety-3, safety-7, safety-26: every table keeps tenants apart, and what only grows stays', () => {
  isolationContract(service, () => ({ ...site, own: a.tenantId, other: b.tenantId }), {
    onlyGrows: ['preset_versions'],
  });
});

describe('safety-10: what belongs to B and what does not exist look the same to A, on every route with an id', () => {
  foreignLooksAbsent(service, async () => {
    type Listed = { presets: { id: string }[]; themes: { id: string }[]; blocks: { id: string }[] };
    const firstOf = async (who: Person, path: string, list: keyof Listed) =>
      (await site.send<Listed>(who, 'GET', path)).body[list][0]?.id ?? '';
    const [presetId, themeId] = [
      await firstOf(b, '/presets', 'presets'),
      await firstOf(b, '/themes', 'themes'),
    ];
    const foreign = { presetId, themeId, blockId: await firstOf(b, `/themes/${themeId}/blocks`, 'blocks') };
    const absent = { presetId: newId('thp'), themeId: newId('thm'), blockId: newId('cbk') };
    const text = [{ locale: 'en', text: 'x' }];
    const bodies = {
      '/draft': { version: 2, name: text, tokens: [] },
      '/publish': { version: 2 },
      '/themes/:themeId': { version: 1, presetId: await firstOf(a, '/presets', 'presets'), overrides: [] },
      '/blocks': { placement: 'home', position: 0, text },
      '/blocks/:blockId': { version: 1, placement: 'home', position: 0, text },
      '/withdraw': { version: 1 },
    };
    return { own: a, other: b, send: site.send, foreign, absent, bodies };
  });
});

describe('INBOX-10: what it hears', () => {
  const names = [{ locale: 'en', text: 'Bala Hissar' }];
  doubleDeliveryContract([service], {
    [PropertyCreated.subject]: {
      propertyId: newId('pro'),
      name: names,
      country: 'AF',
      city: names,
      position: null,
      zone: 'Asia/Kabul',
      currency: 'AFN',
      locales: ['en'],
      checkInFrom: '14:00',
      checkOutUntil: '12:00',
      businessDate: '2026-03-20',
      amenities: [],
    },
  });
});
