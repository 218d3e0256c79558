import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  axeViolations,
  clippedTexts,
  launchBrowser,
  openSite,
  openWindow,
  screenshot,
  viewports,
} from './fixtures/browser.ts';
import { onlooker, sidePages } from './fixtures/page-table.ts';
import { catalogue } from './messages/catalogue.ts';
import { locales } from './messages/text-keys.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

// A site for each: moods are of a site, and windows side by side must not share one.
test.concurrent.each(locales)(
  'every page beside the straight way in %s, on phone and desk, says what happened and what to do',
  async locale => {
    const site = await openSite();
    const device = { phone: true, script: true, language: locale, worker: false };
    const { context, page } = await openWindow(browser, device);
    const guest = await onlooker({ page, site, locale });
    await context.clearCookies({ name: 'booking_return' });
    for (const { name, mood = {}, open, title, next } of sidePages) {
      await page.goto('about:blank'); // a waiting page would move on by itself as soon as the mood is better
      site.calm();
      Object.assign(site.mood, mood);
      await page.setViewportSize(viewports.phone);
      await open(guest);
      expect([name, await page.textContent('h1')]).toEqual([name, catalogue[locale][title]]);
      if (next !== null)
        expect([name, await page.locator(`main ${next}`).first().isVisible()]).toEqual([name, true]);
      for (const [device, size] of Object.entries(viewports)) {
        await page.setViewportSize(size);
        const seen = { clipped: await clippedTexts(page), axe: await axeViolations(page) };
        expect([name, device, seen]).toEqual([name, device, { clipped: [], axe: [] }]);
        await screenshot(page, `${locale}-${device}-${name}`);
      }
    }
    await context.close();
    await site.close();
  },
);
