import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, clippedTexts, openWindow, screenshot, startSite } from './fixtures/browser.ts';
import { journey } from './fixtures/journey.ts';
import { catalogue } from './messages/catalogue.ts';
import { locales } from './messages/text-keys.ts';

let site: Awaited<ReturnType<typeof startSite>>;

beforeAll(async () => {
  site = await startSite();
});
afterEach(() => site.calm());
afterAll(() => site.close());

const devices = [
  { phone: true, script: true },
  { phone: false, script: true },
  { phone: true, script: false },
  { phone: false, script: false },
];
const ways = locales.flatMap(locale => devices.map(device => ({ locale, ...device })));

describe.concurrent('the whole path', () => {
  test.each(ways)('in $locale, phone $phone, script $script', async ({ locale, ...device }) => {
    const { context, page } = await openWindow(site.browser, device);
    const outside: string[] = [];
    const broken: string[] = [];
    page.on('request', request => {
      if (!request.url().startsWith(site.address)) outside.push(request.url());
    });
    page.on('pageerror', error => broken.push(error.message));
    page.on('console', message => {
      if (/Content Security Policy/.test(message.text())) broken.push(message.text());
    });
    const name = `${locale}-${device.phone ? 'phone' : 'desk'}`;
    const look = async (step: string) => {
      expect([step, await clippedTexts(page)]).toEqual([step, []]);
      if (!device.script) return; // the same pages, seen and judged once
      if (device.phone || locale === 'en') expect([step, await axeViolations(page)]).toEqual([step, []]);
      if (device.phone || locale !== 'fa-AF') await screenshot(page, `${name}-${step}`);
    };
    const way = journey(page, { url: site.url, locale });
    await way.home();
    await look('1-search');
    await way.search();
    await look('2-rooms');
    await way.choose();
    await look('3-details');
    await way.book();
    await page.waitForSelector('#troubles');
    expect(await page.textContent('#troubles h2')).toBe(catalogue[locale]['book.error_title']);
    await look('3-details-refused');
    await way.fill('cash_pending');
    await way.book();
    const code = await way.confirmed();
    expect(await page.textContent('h1')).toBe(catalogue[locale]['done.cash_title']);
    expect(await page.getAttribute('html', 'dir')).toBe(locale === 'en' ? 'ltr' : 'rtl');
    await look('4-confirmation');

    await page.goto(site.url(`/${locale}/manage`));
    await page.fill('#code', code.toLowerCase());
    await page.fill('#phone', '0700123456');
    await page.click('form[action$="/manage"] button');
    await page.waitForSelector('.status');
    await look('5-manage');
    await page.click('a[href$="/dates"]');
    await page.waitForSelector('form[action$="/dates"]');
    await page.click('form[method=get][action$="/dates"] button[type=submit]');
    await page.waitForSelector('form[method=post][action$="/dates"]');
    await look('6-dates');
    await page.click('form[method=post][action$="/dates"] button');
    await page.waitForSelector('.status');
    await page.click('a[href$="/cancel"]');
    await page.waitForSelector('button.danger');
    await look('7-cancel');
    await page.click('button.danger');
    await page.waitForSelector('.notice[role=status]');
    expect(await page.textContent('.status strong')).toBe(catalogue[locale]['status.cancelled']);
    expect([outside, broken]).toEqual([[], []]);
    await context.close();
  });
});

describe('paying', () => {
  test('by card: the provider page opens by itself, and whoever comes back finds the booking', async () => {
    site.mood.polls = 1;
    const { context, page } = await openWindow(site.browser, { phone: true, script: true }, site.pay);
    const way = journey(page, { url: site.url, locale: 'en' });
    await way.home();
    await way.search();
    await way.choose();
    await way.fill('card');
    await way.book();
    await page.waitForURL('http://pay.invalid/**');
    await page.goBack();
    await way.confirmed();
    expect(await page.textContent('h1')).toBe(catalogue.en['done.title']);
    await context.close();
  });

  test('without script: the waiting page has the way to pay, and refreshes itself', async () => {
    const { context, page } = await openWindow(site.browser, { phone: true, script: false }, site.pay);
    const way = journey(page, { url: site.url, locale: 'en' });
    await way.home();
    await way.search();
    await way.choose();
    await way.fill('card');
    await way.book();
    await page.waitForSelector('[data-wait]');
    expect(await page.content()).toMatch(/<meta http-equiv="refresh" content="\d+"/);
    await screenshot(page, 'en-phone-plain-paying');
    const waiting = page.url();
    await page.click('[data-wait] a.primary');
    await page.waitForURL('http://pay.invalid/**');
    await page.goto(waiting);
    await way.confirmed();
    await context.close();
  });
});

describe('a bad line', () => {
  test('cut between any two steps: a page says so, nothing is lost, and one booking comes of it', async () => {
    const { context, page } = await openWindow(site.browser, { phone: true, script: true });
    const before = { bookings: site.bookings(), drafts: site.drafts() };
    const way = journey(page, { url: site.url, locale: 'ps' });
    await way.home();
    // The worker keeps the offline page once it is ready; from then on every cut has an answer.
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
    await page.reload();
    const cut = async (press: () => Promise<void>) => {
      await context.setOffline(true);
      await press();
      await page.waitForSelector('[data-retry]');
      expect(await page.textContent('h1')).toBe(catalogue.ps['trouble.offline']);
      await context.setOffline(false);
      await page.goBack();
    };
    await cut(() => page.click('form.search button[type=submit]'));
    await way.search();
    await cut(() => page.click('.offers > li:first-child .plan:nth-child(2) button'));
    await page.waitForSelector('.offers .plan');
    await way.choose();
    await way.fill('cash_pending', 'زرمینه وردګ');
    await cut(() => page.click('form[action*="/book/"] button[type=submit]'));
    await page.waitForSelector('form[action*="/book/"]');
    expect(await page.inputValue('#name')).toBe('زرمینه وردګ');
    await page.reload();
    expect(await page.inputValue('#name')).toBe('زرمینه وردګ');
    expect(await page.isChecked('[value=cash_pending]')).toBe(true);
    await way.book();
    const code = await way.confirmed();
    expect({ bookings: site.bookings(), drafts: site.drafts() }).toEqual({
      bookings: before.bookings + 1,
      drafts: before.drafts + 1,
    });
    expect(await context.cookies()).toEqual([
      expect.objectContaining({ name: 'tnt_session', path: '/t/bala-hissar' }),
    ]);

    await page.waitForSelector('[data-saved]:not([hidden])');
    await context.setOffline(true);
    await page.reload();
    await page.waitForSelector('[data-saved-list] .code');
    expect(await page.textContent('[data-saved-list] .code')).toBe(code);
    expect([await axeViolations(page), await clippedTexts(page)]).toEqual([[], []]);
    await screenshot(page, 'ps-phone-offline');
    await context.close();
  });

  test('double clicks, the back button and a second tab make one booking', async () => {
    for (const script of [true, false]) {
      const { context, page } = await openWindow(site.browser, { phone: false, script });
      const before = { bookings: site.bookings(), drafts: site.drafts() };
      const way = journey(page, { url: site.url, locale: 'en' });
      await way.home();
      await way.search();
      await page.dblclick('.offers > li:first-child .plan:nth-child(2) button', { delay: 1 });
      await page.waitForSelector('form[action*="/book/"]');
      const tab = await context.newPage();
      await tab.goto(page.url());
      const other = journey(tab, { url: site.url, locale: 'en' });
      await other.fill('cash_pending');
      await way.fill('cash_pending');
      await page.dblclick('form[action*="/book/"] button[type=submit]', { delay: 1 });
      const code = await way.confirmed();
      await other.book();
      expect(await other.confirmed()).toBe(code);
      await page.goBack();
      await page.goto(page.url());
      expect(await way.confirmed()).toBe(code);
      expect(site.bookings()).toBe(before.bookings + 1);
      expect(site.drafts()).toBe(before.drafts + 1);
      await context.close();
    }
  });
});

test('every letter of Pashto and Dari is of the font that was sent, whatever the phone has', async () => {
  const written = [catalogue.ps, catalogue['fa-AF']].flatMap(texts => Object.values(texts)).join('');
  const letters = [...new Set(`ټډړږښګڼېۍئ${written}`)]
    .filter(letter => /[\u0600-\u06ff]/.test(letter))
    .join('');
  const { context, page } = await openWindow(site.browser, { phone: true, script: true });
  await page.goto(site.url('/ps'));
  await page.evaluate(async text => {
    const heading = document.querySelector('h1') as HTMLElement;
    heading.textContent = text;
    await document.fonts.load('700 16px Vazirmatn', text);
  }, letters);
  const line = await context.newCDPSession(page);
  await line.send('DOM.enable');
  await line.send('CSS.enable');
  const { root } = await line.send('DOM.getDocument');
  const { nodeId } = await line.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'h1' });
  // a page that was not laid out anew since its font came says that it uses none: on a busy machine that is a while
  const used = async () =>
    (await line.send('CSS.getPlatformFontsForNode', { nodeId })).fonts.map(({ familyName, isCustomFont }) => [
      familyName,
      isCustomFont,
    ]);
  await expect.poll(used, { timeout: 30_000 }).toEqual([[expect.stringContaining('Vazirmatn'), true]]);
  expect(letters.length).toBeGreaterThan(45);
  await context.close();
});

describe('the date grid', () => {
  test.each([
    {
      locale: 'en' as const,
      ahead: 'ArrowRight',
      from: '2026-11-17',
      month: '2026-12-18',
      arrival: '2026-11-18',
    },
    {
      locale: 'fa-AF' as const,
      ahead: 'ArrowLeft',
      from: '2026-11-17',
      month: '2026-12-18',
      arrival: '2026-11-18',
    },
  ])(
    'in $locale: $ahead is the next day, and the fields take what was chosen',
    async ({ locale, ahead, from, month, arrival }) => {
      const { context, page } = await openWindow(site.browser, { phone: false, script: true });
      await page.goto(site.url(`/${locale}`));
      await page.click('.grid-open');
      await page.waitForSelector('dialog[open] small');
      const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset.day);
      expect(await focused()).toBe(from);
      expect([await axeViolations(page), await clippedTexts(page)]).toEqual([[], []]);
      await page.keyboard.press(ahead);
      expect(await focused()).toBe(arrival);
      await page.keyboard.press('PageDown');
      expect((await focused())?.slice(0, 7)).toBe(month.slice(0, 7));
      expect(await page.getAttribute('.grid-month', 'aria-live')).toBe('polite');
      await page.keyboard.press('PageUp');
      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('End');
      const departure = await focused();
      await page.keyboard.press(' ');
      await page.waitForSelector('.live:not(:empty)');
      await page.click('form.search button[type=submit]');
      await page.waitForSelector('.offers .plan');
      const [first, last] = await page
        .locator('.chosen time')
        .evaluateAll(all => all.map(each => each.getAttribute('datetime')));
      expect([first, last]).toEqual([arrival, departure]);
      await context.close();
    },
  );
});
