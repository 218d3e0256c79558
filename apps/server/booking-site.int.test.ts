import { newId, parseId, parseTenantId } from '@ghasi/domain-primitives/ids';
import { addDays, parseLocalDate } from '@ghasi/domain-primitives/local-date';
import { waitUntil } from '@ghasi/testing/signal';
import { signHandoff } from '@melmastoon/bff-tenant-booking-service/handoff';
import { createBooking, handoffKey } from '@melmastoon/bff-tenant-booking-service/runtime';
import { type Device, launchBrowser, openWindow } from '@melmastoon/booking-web/fixtures/browser';
import { catalogue } from '@melmastoon/booking-web/messages/catalogue';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bookingGuest } from './fixtures/booking-guest.ts';
import { type BookingServer, bookingServer } from './fixtures/booking-server.ts';
import type { Body } from './fixtures/desk-client.ts';
import { type OwnProviders, ownProviders } from './fixtures/own-providers.ts';

const said = catalogue.en;
const phone: Device = { phone: true, script: true };
const plain: Device = { phone: true, script: false };
let providers: OwnProviders;
let server: BookingServer;
let browser: Browser;
beforeAll(async () => {
  providers = await ownProviders();
  server = await bookingServer('memory', { providers: providers.file });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await providers?.close();
});

/** As the provider's way back names it: a cookie of 127.0.0.1 would not come along. */
const site = () => `${server.url.replace('127.0.0.1', 'localhost')}/t/bala-hissar/en`;
const inDays = (days: number) => addDays(parseLocalDate(new Date().toISOString().slice(0, 10)), days);

/** To the page where a guest says who he is, for two nights further ahead than the demo is booked. */
async function toDetails(page: Page, days: number): Promise<string> {
  await page.goto(`${site()}/rooms?arrival=${inDays(days)}&departure=${inDays(days + 2)}&adults=1`);
  await page.locator('.plan form button').first().click();
  await page.waitForSelector('form[action*="/book/"]');
  return page.url();
}

async function fill(page: Page, rail: string): Promise<void> {
  await page.fill('#name', 'Zarghuna Ahmadi');
  await page.fill('#phone', '0799 123 456');
  await page.check(`[name=rail][value=${rail}]`);
}

/** As far as the provider's page. */
async function toProvider(page: Page, days: number): Promise<string> {
  const url = await toDetails(page, days);
  await fill(page, 'card');
  await page.click('form[action*="/book/"] button[type=submit]');
  await page.waitForURL(`${providers.card.url}/pay/**`);
  return url.split('/').at(-1) ?? '';
}

type Booked = { id: string; status: string };
const bookingOf = async (draftId: string): Promise<Booked | undefined> => {
  const found = await bookingsOf(draftId);
  expect(found.length).toBeLessThan(2);
  return found[0];
};
const bookingsOf = (draftId: string) =>
  server.database.admin<Booked>(
    `select id, status from reservation.reservations where agreed ->> 'bookingDraftId' = $1`,
    [draftId],
  );
const moneyOf = async (reservationId: string) =>
  server.database.admin<{ captured: bigint; refunded: bigint; amount: bigint }>(
    'select captured, refunded, amount from payment_gateway.intents where reservation_id = $1',
    [reservationId],
  );

describe('HOLD_EXPIRED: a hold that ran out while its guest was on the provider’s page', () => {
  test('R10, X-119: the site says so with the next step, and money that arrives afterwards goes back', async () => {
    const { context, page } = await openWindow(browser, phone);
    const draftId = await toProvider(page, 200);
    const { id } = (await bookingOf(draftId)) as Booked;
    // The provider cannot be told in time that nobody wants the money any more: its page stays open.
    providers.card.misbehave('cancel', ...Array<'error'>(20).fill('error'));
    await server.database.admin(
      `update reservation.sagas set deadline_at = now() - interval '1 second' where reservation_id = $1`,
      [id],
    );
    await waitUntil('the hold has ended', async () => (await bookingOf(draftId))?.status === 'cancelled');
    await page.click('button[value=pay]');
    await page.waitForSelector('.trouble');
    expect(await page.textContent('h1')).toBe(said['trouble.HOLD_EXPIRED']);
    expect(await page.textContent('.trouble')).toContain(said['trouble.HOLD_EXPIRED_text']);
    const money = await waitUntil('the money has gone back', async () => {
      const [intent] = await moneyOf(id);
      return intent !== undefined && intent.refunded > 0n ? intent : undefined;
    });
    expect(money.captured).toBe(money.amount);
    expect(money.refunded).toBe(money.amount);
    expect((await bookingOf(draftId))?.status).toBe('cancelled');
    await page.click('.trouble a.primary');
    await page.waitForSelector('.offers .plan'); // the same nights, for another try
    expect(new URL(page.url()).searchParams.get('arrival')).toBe(inDays(200));
    await context.close();
  });
});

describe('paying', () => {
  test('R24: two open payment pages, both paid at once: one capture, one booking, and both tabs show it', async () => {
    const { context, page } = await openWindow(browser, phone);
    const draftId = await toProvider(page, 203);
    const other = await context.newPage();
    await other.goto(`${site()}/pay/${draftId}`);
    await other.waitForURL(`${providers.card.url}/pay/**`);
    await Promise.all([page, other].map(tab => tab.click('button[value=pay]')));
    for (const tab of [page, other]) {
      await tab.waitForSelector('.ticket .code');
      expect(await tab.textContent('h1')).toBe(said['done.title']);
    }
    const { id, status } = (await bookingOf(draftId)) as Booked;
    expect(status).toBe('confirmed');
    const [intent, ...more] = await moneyOf(id);
    expect([intent?.captured, intent?.refunded, more]).toEqual([intent?.amount, 0n, []]);
    await context.close();
  });

  test('R24: back from a provider that is silent, the guest is not sent to pay again; when it speaks he is booked', async () => {
    const { context, page } = await openWindow(browser, plain);
    await toDetails(page, 206);
    await fill(page, 'card');
    await page.click('form[action*="/book/"] button[type=submit]');
    await page.waitForSelector('[data-wait]');
    await waitForLink(page);
    await page.click('[data-wait] a.primary');
    providers.card.webhooks = 'hold';
    providers.card.misbehave('inquire', 'cut');
    await page.click('button[value=pay]');
    await page.waitForSelector('[data-wait]');
    expect(await page.textContent('h1')).toBe(said['trouble.PAYMENT_UNKNOWN']);
    expect(await page.locator('[data-wait] a.primary').count()).toBe(0);
    await waitUntil('the provider was asked and the booking is there', async () => {
      await page.goto(page.url());
      return page.locator('.ticket .code').isVisible();
    });
    providers.card.webhooks = 'send';
    await context.close();
  });
});

/** Without script the page is looked at again until the provider has made its own. */
const waitForLink = (page: Page) =>
  waitUntil('there is a page to pay on', async () => {
    await page.goto(page.url());
    return page.locator('[data-wait] a.primary').isVisible();
  });

describe('forms that are sent twice, or changed on the way', () => {
  const hidden = (page: Page, form: string): Promise<Record<string, string>> =>
    page
      .locator(form)
      .first()
      .locator('input[type=hidden]')
      .evaluateAll(all =>
        Object.fromEntries(all.map(one => [one.getAttribute('name'), one.getAttribute('value')])),
      );
  const post = (context: BrowserContext, url: string, form: Record<string, string>) =>
    context.request.post(url, { form, maxRedirects: 0, headers: { origin: new URL(url).origin } });

  test('safety-15: a room chosen five times at once and booked five times at once is one draft and one booking', async () => {
    const { context, page } = await openWindow(browser, plain);
    await page.goto(`${site()}/rooms?arrival=${inDays(209)}&departure=${inDays(211)}&adults=1`);
    const choice = await hidden(page, '.plan form');
    const chosen = await Promise.all(
      Array.from({ length: 5 }, () => post(context, `${site()}/drafts`, choice)),
    );
    const places = new Set(chosen.map(reply => reply.headers().location));
    expect([chosen.map(reply => reply.status()), places.size]).toEqual([[303, 303, 303, 303, 303], 1]);
    const [place = ''] = places;
    await page.goto(new URL(place, site()).href);
    const details = await hidden(page, 'form[action*="/book/"]');
    const guest = {
      name: 'Zarghuna Ahmadi',
      phone: '0799123456',
      email: '',
      requests: '',
      rail: 'card',
    };
    const booked = await Promise.all(
      Array.from({ length: 5 }, () => post(context, page.url(), { ...details, ...guest })),
    );
    expect(new Set(booked.map(reply => reply.headers().location))).toEqual(
      new Set([new URL(page.url()).pathname.replace('/book/', '/pay/')]),
    );
    expect(await bookingsOf(place.split('/').at(-1) ?? '')).toHaveLength(1);
    await context.close();
  });

  test('safety-12, safety-14: a price of the guest’s own is not taken, and a changed room is no room', async () => {
    const { context, page } = await openWindow(browser, plain);
    const url = await toDetails(page, 212);
    await fill(page, 'card');
    await page.locator('[name=seenTotal]').evaluate(field => field.setAttribute('value', '1'));
    await page.click('form[action*="/book/"] button[type=submit]');
    expect(await page.textContent('.notice[role=alert]')).toBe(said['book.price_changed']);
    expect(await bookingsOf(url.split('/').at(-1) ?? '')).toEqual([]);
    await page.goto(`${site()}/rooms?arrival=${inDays(212)}&departure=${inDays(214)}&adults=1`);
    const choice = await hidden(page, '.plan form');
    const priced = await post(context, `${site()}/drafts`, { ...choice, key: 'k', total: '1', price: '1' });
    await page.goto(new URL(priced.headers().location ?? '', site()).href);
    expect(await page.getAttribute('[name=seenTotal]', 'value')).not.toBe('1');
    const wrong = await post(context, `${site()}/drafts`, { ...choice, key: 'l', roomTypeId: newId('rty') });
    expect(wrong.status()).toBe(404);
    await context.close();
  });

  test('safety-17: a session that is over is a new visitor’s; what it had is opened with code and phone', async () => {
    const { context, page } = await openWindow(browser, plain);
    const url = await toDetails(page, 215);
    const [cookie] = await context.cookies();
    const { cookies } = createBooking({ ask: () => Promise.reject(), secret: server.secret });
    const sessionId = parseId('tnt', cookie?.value.split('.')[0]);
    const old = cookies.issue(await tenant(), sessionId, new Date(Date.now() - 31 * 86_400_000));
    await context.addCookies([{ ...(cookie as NonNullable<typeof cookie>), value: old.value }]);
    await page.goto(url);
    expect(await page.textContent('h1')).toBe(said['trouble.not_found']);
    expect(await page.locator('.trouble a[href$="/manage"]').isVisible()).toBe(true);
    const [renewed] = await context.cookies();
    expect(renewed?.value.split('.')[0]).not.toBe(sessionId);
    await context.close();
  });
});

const tenant = async () => {
  const sql = `select tenant_id::text as id from tenant.slugs where slug = 'bala-hissar'`;
  return parseTenantId((await server.database.admin<{ id: string }>(sql))[0]?.id);
};

describe('TB-57: a link of the consumer site', () => {
  /** The consumer site's page with its signed form. */
  async function consumerPage(
    change: (handoff: Body) => Body = handoff => handoff,
    tamper = (text: string) => text,
  ) {
    const guest = await bookingGuest(server.url, 'bala-hissar');
    const { propertyId, arrival, departure, roomTypeId, ratePlanId } = await guest.offer(218);
    const handoff = {
      audience: 'tenant-booking' as const,
      handoffId: newId('bha'),
      tenantId: await tenant(),
      consumerSessionId: 'consumer-session-1',
      ...{ propertyId, arrival, departure, roomTypeId, ratePlanId, adults: 1, children: 0, rooms: 1 },
      mintedAt: new Date().toISOString(),
      expiresAt: new Date(Date.now() + 1_800_000).toISOString(),
    };
    const signed = signHandoff(change(handoff) as typeof handoff, {
      keyId: 'h1',
      key: handoffKey(server.secret),
    });
    const form = new URLSearchParams({
      ...{ action: `${site()}/arrive`, signature: signed.signature, keyId: signed.keyId },
      payload: tamper(signed.payload),
    });
    return { page: `http://consumer.invalid/?${form}`, signature: signed.signature, arrival };
  }
  const press = async (page: Page, from: string) => {
    await page.goto(from);
    await page.click('button');
  };

  test.each([phone, plain])(
    'safety-23: opens the chosen room once, script $script; the session he had stays his',
    async device => {
      const { context, page } = await openWindow(browser, device);
      await page.goto(site());
      const before = await context.cookies();
      const seen: string[] = [];
      page.on('request', async request =>
        seen.push(request.url(), (await request.allHeaders()).referer ?? ''),
      );
      const link = await consumerPage();
      await press(page, link.page);
      if (!device.script) await page.click('form[action$="/arrive/room"] button');
      await page.waitForSelector('form[action*="/book/"]');
      expect(await page.textContent('.summary time')).toBeTruthy();
      expect(await page.getAttribute('.summary time', 'datetime')).toBe(link.arrival);
      expect(await context.cookies()).toEqual(before);
      const draft = page.url();
      const afterwards = seen.filter(url => !url.startsWith('http://consumer.invalid/'));
      expect(afterwards.length).toBeGreaterThan(2);
      for (const text of afterwards) expect(text).not.toContain(link.signature);

      // The same link again: his own room for him, a clear word for anybody else.
      await press(page, link.page);
      if (!device.script) await page.click('form[action$="/arrive/room"] button');
      await page.waitForURL(draft);
      const stranger = await openWindow(browser, device);
      await press(stranger.page, link.page);
      if (!device.script) await stranger.page.click('form[action$="/arrive/room"] button');
      await stranger.page.waitForSelector('.trouble');
      expect(await stranger.page.textContent('h1')).toBe(said['trouble.HANDOFF_USED']);
      await stranger.page.click('.trouble a.primary');
      await stranger.page.waitForSelector('.offers .plan');
      await Promise.all([context.close(), stranger.context.close()]);
    },
  );

  test('safety-23: changed, made for others or too old: a page that says so, and the nights are not lost', async () => {
    const { context, page } = await openWindow(browser, phone);
    const past = (ms: number) => new Date(Date.now() - ms).toISOString();
    const links = [
      [await consumerPage(undefined, text => text.replace('"adults":1', '"adults":2')), 'HANDOFF_REFUSED'],
      [await consumerPage(handoff => ({ ...handoff, audience: 'desk' })), 'HANDOFF_REFUSED'],
      [
        await consumerPage(handoff => ({ ...handoff, mintedAt: past(1_900_000), expiresAt: past(100_000) })),
        'HANDOFF_EXPIRED',
      ],
    ] as const;
    for (const [link, code] of links) {
      await press(page, link.page);
      await page.waitForSelector('.trouble');
      expect(await page.textContent('h1')).toBe(said[`trouble.${code}`]);
      const next = new URL((await page.getAttribute('.trouble a.primary', 'href')) ?? '', site());
      expect(next.searchParams.get('arrival')).toBe(link.arrival);
    }
    const ids = await server.database.admin(
      'select 1 from bff_tenant_booking.handoff_arrival_log where consumed',
    );
    expect(ids).toHaveLength(2); // of the two tests above
    await context.close();
  });
});
