import Fastify from 'fastify';
import { beforeEach, describe, expect, test } from 'vitest';
import { fixtureBff } from './fixtures/bff.ts';
import { catalogue } from './messages/catalogue.ts';
import { locales } from './messages/text-keys.ts';
import { addBookingSite } from './site.ts';

const now = new Date('2026-11-16T07:30:00.000Z');
let fixture = fixtureBff({ now: () => now });
let fastify = Fastify();

beforeEach(async () => {
  fixture = fixtureBff({ now: () => now });
  fastify = Fastify();
  await addBookingSite(fastify, { bff: fixture.bff, now: () => now });
});

const get = (url: string, headers: Record<string, string> = {}) => fastify.inject({ url, headers });
const post = (url: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  fastify.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(form).toString(),
  });
const titleOf = (body: string) => /<h1>(.*?)<\/h1>/s.exec(body)?.[1];
const hidden = (body: string) =>
  Object.fromEntries(
    [...body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );

/** The first form of the rooms page for two nights, as a guest would send it. */
async function chosenRoom(locale = 'en') {
  const rooms = await get(`/t/bala-hissar/${locale}/rooms?arrival=2026-11-20&departure=2026-11-22&adults=2`);
  const [, cookie = ''] = /^(tnt_session=[^;]+)/.exec(String(rooms.headers['set-cookie'])) ?? [];
  const [form = ''] = /<form method="post" action="[^"]*\/drafts">.*?<\/form>/s.exec(rooms.body) ?? [];
  return { cookie, form: hidden(form) };
}

async function draftPage(locale = 'en') {
  const { cookie, form } = await chosenRoom(locale);
  const chosen = await post(`/t/bala-hissar/${locale}/drafts`, form, { cookie });
  const url = String(chosen.headers.location);
  return { cookie, url, page: await get(url, { cookie }) };
}

describe('the site', () => {
  test('safety-34: no inline script, no foreign host, a nonce per response', async () => {
    const [first, second] = [await get('/t/bala-hissar/en'), await get('/t/bala-hissar/en')];
    const policy = String(first.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toBe(second.headers['content-security-policy']);
    expect(first.body).not.toMatch(/<script(?![^>]* src="\/assets\/booking\/)/);
    expect(first.body).not.toMatch(/(?:src|href|action)="(?:https?:)?\/\//);
    expect(first.headers['cache-control']).toBe('private, no-store');
  });

  test('without a language the page speaks the browser’s, else the hotel’s own', async () => {
    for (const [accept, lang] of [
      ['ps-AF,en;q=0.5', 'ps'],
      ['prs,en;q=0.5', 'fa-AF'],
      ['en-GB', 'en'],
      ['de', 'fa-AF'],
    ] as const) {
      expect((await get('/t/bala-hissar', { 'accept-language': accept })).body).toContain(
        `<html lang="${lang}"`,
      );
    }
  });

  test('on a host of its own the hotel is at the root, and an unknown host is no hotel', async () => {
    const home = await get('/', { host: 'hotel.example', 'accept-language': 'en' });
    expect(home.statusCode).toBe(200);
    expect(home.body).toContain('action="/en/rooms"');
    expect(home.body).toContain('href="/ps"');
    expect(String(home.headers['set-cookie'])).toMatch(/; Path=\/$/);
    expect((await get('/fa-AF/manage', { host: 'hotel.example' })).statusCode).toBe(200);
    const nobody = await get('/', { host: 'other.example', 'accept-language': 'en' });
    expect([nobody.statusCode, titleOf(nobody.body)]).toEqual([404, catalogue.en['trouble.unknown_hotel']]);
  });

  test('files never change under their names and come compressed; other names are not found', async () => {
    const { body } = await get('/t/bala-hissar/en');
    const files = new Set(body.match(/\/assets\/booking\/[\w./-]+/g));
    expect(files.size).toBeGreaterThan(10);
    for (const file of files) {
      const reply = await get(file, { 'accept-encoding': 'br, gzip' });
      expect([file, reply.statusCode, reply.headers['content-encoding']]).toEqual([file, 200, 'br']);
      expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
    for (const wrong of [
      'site.css',
      'art/1/hero-wide-8c1c2b-xyzxyz.svg',
      'art/1/nothing-8c1c2b-f2c14e.svg',
      '..%2fpackage.json',
    ]) {
      expect((await get(`/assets/booking/${wrong}`)).statusCode).toBe(404);
    }
    const worker = await get('/t/bala-hissar/offline-worker.js');
    expect([worker.statusCode, worker.headers['cache-control']]).toEqual([200, 'no-cache']);
  });

  test('letters are sent with pages written from the right, for ever, from here, and nobody waits for them', async () => {
    const english = await get('/t/bala-hissar/en');
    expect(english.body).not.toContain('woff2');
    for (const page of ['/t/bala-hissar/ps', '/t/bala-hissar/fa-AF/manage', '/t/nobody/ps']) {
      const { body, headers } = await get(page);
      const [face = ''] = /<style nonce="[^"]+">@font-face.*?<\/style>/.exec(body) ?? [];
      expect(face).toContain('font-display:swap');
      expect(body).not.toMatch(/rel="preload"[^>]*woff2/);
      expect(headers['content-security-policy']).toContain("font-src 'self';");
      const [file = ''] = /\/assets\/booking\/[\w.-]+\.woff2/.exec(face) ?? [];
      const font = await get(file, { 'accept-encoding': 'br, gzip' });
      expect([font.statusCode, font.headers['content-type'], font.headers['content-encoding']]).toEqual([
        200,
        'font/woff2',
        undefined,
      ]);
      expect(font.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(font.rawPayload.length).toBeLessThan(50_000); // a second at 400 kbit/s
    }
  });

  test('safety-32: a form of another site is refused before anything is asked', async () => {
    const { cookie, form } = await chosenRoom();
    const forged = await post('/t/bala-hissar/en/drafts', form, { cookie, origin: 'https://evil.example' });
    expect(forged.statusCode).toBe(404);
    expect(fixture.drafts()).toBe(0);
    const plain = await fastify.inject({
      method: 'POST',
      url: '/t/bala-hissar/en/drafts',
      headers: { cookie, 'content-type': 'text/plain' },
      payload: new URLSearchParams(form).toString(),
    });
    expect(plain.statusCode).toBeGreaterThanOrEqual(400);
    expect(fixture.drafts()).toBe(0);
  });

  test('a form sent five times is one draft and one booking', async () => {
    const { cookie, form } = await chosenRoom();
    const drafts = await Promise.all(
      Array.from({ length: 5 }, () => post('/t/bala-hissar/en/drafts', form, { cookie })),
    );
    expect(new Set(drafts.map(reply => reply.headers.location)).size).toBe(1);
    const url = String(drafts[0]?.headers.location);
    const { key = '', seenTotal = '' } = hidden((await get(url, { cookie })).body);
    const guest = { key, seenTotal, name: 'A', phone: '0700123456', email: '', requests: '', rail: 'card' };
    const booked = await Promise.all(Array.from({ length: 5 }, () => post(url, guest, { cookie })));
    expect(booked.map(reply => reply.statusCode)).toEqual([303, 303, 303, 303, 303]);
    expect([fixture.drafts(), fixture.bookings()]).toEqual([1, 1]);
  });

  test('the session cookie belongs to one hotel and is not readable by script', async () => {
    const cookie = String((await get('/t/bala-hissar/en')).headers['set-cookie']);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Lax; Path=\/t\/bala-hissar$/);
  });

  test('TB-58: what a guest types stands in no cookie, no address and no redirect', async () => {
    const { cookie, url, page } = await draftPage();
    const { key = '', seenTotal = '' } = hidden(page.body);
    const guest = {
      key,
      seenTotal,
      name: 'Zarmina',
      phone: '0700999888',
      email: 'z@a.example',
      requests: 'cot',
      rail: 'card',
    };
    const sent = await post(url, guest, { cookie });
    expect(sent.statusCode).toBe(303);
    expect(JSON.stringify(sent.headers)).not.toMatch(/Zarmina|700999888|z@a\.example/);
  });
});

describe('back from the provider', () => {
  const back = (cookie: string) => get('/pay/return?payment=pay_1', { cookie });

  test('the guest comes to the page he left from', async () => {
    const { cookie, url, page } = await draftPage();
    const { key = '', seenTotal = '' } = hidden(page.body);
    const guest = { key, seenTotal, name: 'A', phone: '0700123456', email: '', requests: '', rail: 'card' };
    const sent = await post(url, guest, { cookie });
    const waiting = await get(String(sent.headers.location), { cookie });
    const [, kept = ''] =
      /(booking_return=[^;]+); Path=\/pay/.exec(String(waiting.headers['set-cookie'])) ?? [];
    const returned = await back(kept);
    expect([returned.statusCode, returned.headers.location]).toEqual([
      303,
      `${sent.headers.location}?returned=1`,
    ]);
    const again = await get(String(returned.headers.location), { cookie });
    expect(fixture.log.at(-1)?.path).toMatch(/\/outcome\?returned=1$/); // R24: the provider is asked
    const [, polled = ''] = /data-wait="([^"]+)"/.exec(again.body) ?? [];
    await get(polled, { cookie });
    expect(fixture.log.at(-1)?.path).toMatch(/\/outcome\?returned=1$/);
  });

  test.each([
    '',
    'https://evil.example/',
    '//evil.example/en/pay/x',
    '/en/pay/../../x',
    '%E0%A4%A',
    '/t/x/en/manage',
  ])('safety-43: a cookie that says %s leads nowhere else', async page => {
    const returned = await back(`booking_return=${encodeURIComponent(page)}`);
    expect([returned.statusCode, titleOf(returned.body)]).toEqual([200, catalogue.en['trouble.returned']]);
    const raw = await back(`booking_return=${page}`);
    expect(raw.statusCode).toBe(200);
  });
});

describe('other dates', () => {
  test.each(['agreed', 'refused'] as const)(
    'asked for, then %s: the page says which, and never both',
    async end => {
      const { cookie, url, page } = await draftPage();
      const guest = { name: 'A', phone: '0700123456', email: '', requests: '', rail: 'card' };
      await post(url, { ...hidden(page.body), ...guest }, { cookie });
      const draft = await fixture.bff({
        method: 'GET',
        path: `/drafts/${url.split('/').at(-1)}`,
        slug: 'bala-hissar',
      });
      const { reservationId } = draft.body as { reservationId: string };
      const wish = { key: 'k', arrival: '2026-12-01', departure: '2026-12-03' };
      const asked = await post(`/t/bala-hissar/en/manage/${reservationId}/dates`, wish, { cookie });
      const notice = async () => {
        const { body } = await get(String(asked.headers.location), { cookie });
        return ['asked', 'agreed', 'refused'].filter(each =>
          body.includes(catalogue.en[`manage.dates_${each as typeof end}`]),
        );
      };
      expect(await notice()).toEqual(['asked']);
      fixture.mood.datesEnd = end;
      expect(await notice()).toEqual([end]);
    },
  );
});

describe('what a guest or a manager writes', () => {
  const corpus = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "';alert(1)//",
    '</title><svg/onload=alert(1)>',
    'javascript:alert(1)',
  ];

  test.each(corpus)('safety-35: %s is inert in the form, the confirmation and the booking', async text => {
    const { cookie, url, page } = await draftPage();
    const { key = '', seenTotal = '' } = hidden(page.body);
    const guest = { key, seenTotal, name: text, phone: '1', email: text, requests: text, rail: text };
    const refused = await post(url, guest, { cookie });
    expect(refused.statusCode).toBe(422);
    const booked = await post(url, { ...guest, phone: '0700123456', email: '', rail: 'card' }, { cookie });
    expect(booked.statusCode).toBe(303);
    const { reservationId = '' } = (
      await fixture.bff({ method: 'GET', path: `/drafts/${url.split('/').at(-1)}`, slug: 'bala-hissar' })
    ).body as { reservationId?: string };
    const confirmation = await get(`/t/bala-hissar/en/booking/${reservationId}`, { cookie });
    for (const { body } of [refused, confirmation]) {
      expect(body).not.toMatch(/<script>|<img src=x|<svg\/|href="javascript/);
      expect(body).toContain(
        text
          .replace(/&/g, '&amp;')
          .replace(/</g, '&lt;')
          .replace(/>/g, '&gt;')
          .replace(/"/g, '&quot;')
          .replace(/'/g, '&#39;'),
      );
    }
  });

  test.each(['../secrets', '..%2f..%2fsecrets', 'bdr_1%3Fx', 'bdr_<script>'])(
    'the id %s never reaches the BFF',
    async id => {
      const reply = await get(`/t/bala-hissar/en/book/${id}`);
      expect(reply.statusCode).toBe(404);
      expect(fixture.log.every(({ path }) => path.startsWith('/bootstrap'))).toBe(true);
    },
  );

  test('safety-29: nothing a visitor sends changes what the BFF is asked about', async () => {
    await get(
      '/t/bala-hissar/en/rooms?arrival=2026-11-20&departure=2026-11-22&adults=2%26tenant%3Dx&hotel=pro_x',
    );
    expect(fixture.log.at(-1)?.path).not.toContain('tenant');
  });
});

describe('troubles are explained in every language, with the next step', () => {
  test.each(locales)('%s: unknown hotel, suspended hotel, unknown page, no line to the BFF', async locale => {
    const texts = catalogue[locale];
    const unknown = await get(`/t/nobody/${locale}`);
    expect([unknown.statusCode, titleOf(unknown.body)]).toEqual([404, texts['trouble.unknown_hotel']]);
    const closed = await get(`/t/closed/${locale}`);
    expect([closed.statusCode, titleOf(closed.body)]).toEqual([403, texts['trouble.suspended']]);
    const lost = await get(`/t/bala-hissar/${locale}/nothing/here`);
    expect([lost.statusCode, titleOf(lost.body)]).toEqual([404, texts['trouble.not_found']]);
    expect(lost.body).toContain(`href="/t/bala-hissar/${locale}"`);
    fixture.mood.down = true;
    const down = await get(`/t/bala-hissar/${locale}`);
    expect([down.statusCode, titleOf(down.body)]).toEqual([503, texts['trouble.UPSTREAM_ERROR']]);
  });

  test.each(locales)('%s: sold out, room gone, price no longer kept, price changed', async locale => {
    const texts = catalogue[locale];
    const { cookie, form } = await chosenRoom(locale);
    fixture.mood.refuseDraft = 'ROOMS_GONE';
    const gone = await post(`/t/bala-hissar/${locale}/drafts`, form, { cookie });
    expect([gone.statusCode, titleOf(gone.body)]).toEqual([409, texts['trouble.ROOMS_GONE']]);
    expect(gone.body).toContain('arrival=2026-11-20');
    delete fixture.mood.refuseDraft;
    const { url } = await draftPage(locale);
    fixture.mood.expireDrafts = true;
    const expired = await get(url, { cookie });
    expect([expired.statusCode, titleOf(expired.body)]).toEqual([410, texts['trouble.QUOTE_EXPIRED']]);
    expect(expired.body).toContain('arrival=2026-11-20');
    fixture.mood.expireDrafts = false;
    fixture.mood.refuseConfirm = 'PRICE_CHANGED';
    const guest = {
      key: 'k',
      seenTotal: '1',
      name: 'A',
      phone: '0700123456',
      email: '',
      requests: '',
      rail: 'card',
    };
    expect((await post(url, guest, { cookie })).body).toContain(texts['book.price_changed']);
    fixture.mood.soldOut = true;
    const none = await get(`/t/bala-hissar/${locale}/rooms?arrival=2026-11-20&departure=2026-11-22&adults=2`);
    expect(titleOf(none.body)).toBe(texts['rooms.none_title']);
    expect(none.body).toContain(texts['rooms.none_later']);
  });

  test('a search that cannot be is explained, and what was typed stays', async () => {
    const wrong = async (query: string) => (await get(`/t/bala-hissar/en/rooms?${query}`)).body;
    expect(await wrong('arrival=2026-11-22&departure=2026-11-22')).toContain(
      catalogue.en['search.error_order'],
    );
    expect(await wrong('arrival=2026-11-01&departure=2026-11-22')).toContain(
      catalogue.en['search.error_past'],
    );
    expect(await wrong('arrival=2026-02-30&departure=x')).toContain(catalogue.en['search.error_missing']);
    expect(await wrong('arrival=2026-11-20&departure=2026-11-22&adults=1&rooms=3')).toContain(
      catalogue.en['search.error_adults'],
    );
  });

  test('solar Hijri fields work without script, also in Arabic digits', async () => {
    const query =
      'calendar=solar-hijri&arrival_day=۲۹&arrival_month=8&arrival_year=1405&departure_day=1&departure_month=9&departure_year=1405';
    const rooms = await get(`/t/bala-hissar/fa-AF/rooms?${encodeURI(query)}`);
    expect(rooms.statusCode).toBe(200);
    expect(rooms.body).toContain('datetime="2026-11-20"');
    expect(rooms.body).toContain('datetime="2026-11-22"');
  });
});
