import { expect, test } from 'vitest';
import { siteAssets } from './assets.ts';
import { routeScripts } from './route-scripts.ts';

test('no page has more than 90 KB of compressed script, and every module is stripped and hashed', () => {
  const assets = siteAssets();
  const pages = routeScripts(assets);
  expect(pages.length).toBeGreaterThan(4);
  for (const { page, modules, gzip, brotli } of pages) {
    console.log(`${page}: ${brotli} B brotli, ${gzip} B gzip, ${modules.length} modules`);
    expect(gzip).toBeGreaterThan(0);
    expect(gzip).toBeLessThan(90 * 1_024);
  }
  for (const [name, { plain, type }] of assets.files) {
    expect(name).toMatch(/-[\w-]{10}\.(?:js|css|svg|woff2)$/);
    if (type.startsWith('text/javascript'))
      expect(plain.toString()).not.toMatch(/\.ts'|: HTMLElement|^import type/m);
  }
});
