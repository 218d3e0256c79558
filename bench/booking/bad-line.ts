import type { Browser, Page } from 'playwright-core';

/** What a guest on a bad line waited for, in ms from pressing, and what he loaded for it, in compressed bytes. */
export type Visit = {
  locale: string;
  firstByte: number;
  firstPaint: number;
  /** The search can be typed into and sent. */
  usable: number;
  /** The date grid can be opened. */
  calendar: number;
  /** Rooms and prices are there, after the search was sent; the form for guest details, after a room was chosen. */
  rooms: number;
  details: number;
  html: number;
  /** All script files of the way from the search to the guest details, each once. */
  script: number;
};

const BITS_PER_SECOND = 400_000;
const LATENCY_MS = 400;

/** Opens a site on a phone for the first time and goes on to the guest details; 400 kbit/s both ways, 400 ms, nothing cached. */
export async function visitOnBadLine(browser: Browser, home: string, locale: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  try {
    const page = await context.newPage();
    await slowDown(page);
    const scripts = new Map<string, number>();
    const began = performance.now();
    const passed = (since: number) => performance.now() - since;
    await page.goto(home, { waitUntil: 'commit' });
    const firstByte = passed(began); // the browser's own figure leaves the emulated latency out
    await page.waitForSelector('form.search button[type=submit]');
    const form = passed(began);
    await page.waitForSelector('.grid-open');
    const calendar = passed(began);
    await page.waitForLoadState('load');
    const { html, firstPaint } = await noteFiles(page, scripts);
    const searched = performance.now();
    await page.click('form.search button[type=submit]');
    await page.waitForSelector('.offers .plan');
    const rooms = passed(searched);
    await page.waitForLoadState('load');
    await noteFiles(page, scripts);
    const chosen = performance.now();
    await page.click('.offers .plan button');
    await page.waitForSelector('form[action*="/book/"]');
    const details = passed(chosen);
    await page.waitForLoadState('load');
    await noteFiles(page, scripts);
    const script = [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0);
    const usable = Math.max(form, firstPaint);
    return { locale, firstByte, firstPaint, usable, calendar, rooms, details, html, script };
  } finally {
    await context.close();
  }
}

async function slowDown(page: Page): Promise<void> {
  const line = await page.context().newCDPSession(page);
  await line.send('Network.enable');
  await line.send('Network.setCacheDisabled', { cacheDisabled: true });
  await line.send('Network.setBypassServiceWorker', { bypass: true });
  await line.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: BITS_PER_SECOND / 8,
    uploadThroughput: BITS_PER_SECOND / 8,
  });
}

/** Adds the script files of the page to those known; a page without script has not been looked at. */
async function noteFiles(page: Page, scripts: Map<string, number>) {
  const seen = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    return {
      html: navigation?.encodedBodySize ?? 0,
      firstPaint: paint?.startTime ?? 0,
      scripts: files
        .filter(({ name }) => name.endsWith('.js'))
        .map(({ name, encodedBodySize }) => [name, encodedBodySize] as const),
    };
  });
  for (const [name, bytes] of seen.scripts) scripts.set(name, bytes);
  return seen;
}
