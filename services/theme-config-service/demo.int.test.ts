import { afterAll, beforeAll, expect, test } from 'vitest';
import { newBlock, newPreset, tokenValues } from './contract/resources.ts';
import { ContentBlockChanged, PresetPublished, TokensChanged } from './contract.ts';
import { seedLooks } from './demo.ts';
import { demoLooks } from './demo-looks.ts';
import { openSite, type Site } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

test('the demo could have been typed in', () => {
  for (const { preset, theme, blocks } of demoLooks) {
    const { id: _, ...look } = preset;
    expect(newPreset.safeParse(look).error).toBeUndefined();
    expect(tokenValues.safeParse(theme.overrides).error).toBeUndefined();
    for (const { id: __, ...block } of blocks) expect(newBlock.safeParse(block).error).toBeUndefined();
  }
});

test('three looks for three groups, however often they are seeded', async () => {
  await Promise.all([seedLooks(site.db, demoLooks), seedLooks(site.db, demoLooks)]);
  await seedLooks(site.db, demoLooks);
  for (const { tenantId, theme, blocks } of demoLooks) {
    const who = site.person('owner', tenantId);
    expect(await site.published(who, PresetPublished)).toHaveLength(1);
    expect(await site.published(who, TokensChanged)).toMatchObject([{ aggregateId: theme.id }]);
    expect(await site.published(who, ContentBlockChanged)).toHaveLength(blocks.length);
  }
});
