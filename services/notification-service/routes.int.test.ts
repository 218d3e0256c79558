import { newId } from '@ghasi/domain-primitives/ids';
import type { AnyRoute } from '@ghasi/http/route';
import { routeTable } from '@ghasi/http/route-table';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type House, type MessageView, openHouse, type Person } from './fixtures/house.ts';
import type { Stay } from './fixtures/stay.ts';
import { defaultSettings } from './queries/settings.ts';
import { service } from './service.ts';
import { languages } from './wording/languages.ts';

let house: House;
let owner: Person;
let stay: Stay;
let welcome: MessageView;
const email = 'zarghuna@guest.example';
beforeAll(async () => {
  house = await openHouse();
  owner = house.newPerson();
  stay = house.guest(owner.tenantId, { email, locale: 'en' });
  await house.tell(owner.tenantId, stay.checkInStarted());
  [welcome] = (await house.messages(owner.tenantId, stay)) as [MessageView];
});
afterAll(() => house?.close());

const words = {
  subject: 'Salaam from {hotel}',
  body: 'Salaam {guest}\n\n{hotel} <b>waits</b>',
  short: 'Salaam, {hotel}',
};
const put = (template: string, locale: string, body: object) =>
  house.send(owner, 'PUT', `/message-templates/${template}/${locale}`, body);

describe('messages of a booking', () => {
  test('the list shows what became of each, and only enough of an address to recognise it', async () => {
    expect(welcome).toMatchObject({
      template: 'welcome',
      channel: 'email',
      status: 'dispatched',
      to: 'z…@guest.example',
      provider: 'smtp',
      attempt: 1,
      dispatchedAt: expect.any(String),
    });
    const other = await house.send(owner, 'GET', `/messages?reservationId=${newId('rsv')}`);
    expect(other).toMatchObject({ status: 200, body: { messages: [] } });
  });

  test('the desk reads the words, an auditor does not', async () => {
    const path = `/messages/${welcome.messageId}`;
    const seen = await house.send(house.newPerson(['front_desk'], owner.tenantId), 'GET', path);
    expect(seen.body).toMatchObject({ subject: 'Welcome to Bala Hissar Guest House', sms: null });
    expect(JSON.stringify(seen.body)).not.toContain(email);
    expect((await house.send(house.newPerson(['auditor'], owner.tenantId), 'GET', path)).status).toBe(403);
    expect((await house.send(owner, 'GET', `/messages/${newId('msg')}`)).status).toBe(404);
  });

  test('SAGA-40: the desk sends it once more, to the address the booking has now, once per key', async () => {
    stay.contact.email = 'corrected@guest.example';
    const clerk = house.newPerson(['front_desk'], owner.tenantId);
    const path = `/messages/${welcome.messageId}/resend`;
    const key = crypto.randomUUID();
    const first = await house.send(clerk, 'POST', path, {}, { 'idempotency-key': key });
    const again = await house.send(clerk, 'POST', path, {}, { 'idempotency-key': key });
    expect([first.status, again.status]).toEqual([202, 202]);
    const bySms = await house.send(clerk, 'POST', path, { channel: 'sms' });
    expect(bySms.status).toBe(202);
    await house.settle();
    expect(house.mailsTo('corrected@guest.example')).toHaveLength(1);
    const list = await house.messages(owner.tenantId, stay);
    expect(list.map(({ template, channel }) => `${template} ${channel}`).sort()).toEqual([
      'welcome email',
      'welcome email',
      'welcome sms',
    ]);
  });
});

describe('the house’s own words', () => {
  test('are used from now on, escaped like everything else, and can be taken back', async () => {
    expect(await put('welcome', 'en', { version: 0, ...words })).toMatchObject({
      status: 200,
      body: { ...words, version: 1, isOwn: true },
    });
    const guest = house.guest(owner.tenantId, { email: 'words@guest.example', locale: 'en' });
    await house.tell(owner.tenantId, guest.checkInStarted());
    const [mail] = house.mailsTo('words@guest.example');
    expect(mail?.subject).toBe('Salaam from Bala Hissar Guest House');
    expect(mail?.html).toContain('<bdi>Bala Hissar Guest House</bdi> &lt;b&gt;waits&lt;/b&gt;');
    const back = await house.send(owner, 'DELETE', '/message-templates/welcome/en');
    expect(back.body).toMatchObject({ ...languages.en.templates.welcome, version: 0, isOwn: false });
  });

  test('two who change the same words: the second one is told', async () => {
    await put('welcome', 'ps', { version: 0, ...words });
    for (const version of [0, 7])
      expect(await put('welcome', 'ps', { version, ...words })).toMatchObject({
        status: 409,
        body: { code: 'VERSION_CONFLICT' },
      });
    expect(await put('welcome', 'ps', { version: 1, ...words })).toMatchObject({ body: { version: 2 } });
  });

  test.each([
    ['a value that is not known', { short: '{hotel} {total}' }, 'PLACEHOLDER_UNKNOWN'],
    ['the code of a key', { body: '{hotel} {keyCode}' }, 'PLACEHOLDER_UNKNOWN'],
    ['nothing of what must be said', { body: 'Hello' }, 'PLACEHOLDER_MISSING'],
    ['more than six SMS', { short: `{hotel} ${'ش'.repeat(450)}` }, 'TEXT_TOO_LONG'],
  ])('%s is refused, in a preview too, and nothing is kept', async (_what, change, code) => {
    const refused = { status: 422, body: { code } };
    expect(await put('welcome', 'fa-AF', { version: 0, ...words, ...change })).toMatchObject(refused);
    const tried = { ...words, ...change };
    const preview = await house.send(owner, 'POST', '/message-templates/welcome/fa-AF/preview', tried);
    expect(preview).toMatchObject(refused);
    const { body } = await house.send(owner, 'GET', '/message-templates?locale=fa-AF');
    const list = (body as unknown as { templates: { template: string; isOwn: boolean }[] }).templates;
    expect(list).toHaveLength(12);
    expect(list.filter(({ isOwn }) => isOwn)).toEqual([]);
  });

  test('R6: a preview shows a made-up stay, with the house’s clock and the length of its SMS', async () => {
    const tried = { ...words, body: '{hotel}: {checkOut}' };
    const { body } = await house.send(owner, 'POST', '/message-templates/welcome/en/preview', tried);
    expect(body).toMatchObject({
      text: 'Bala Hissar Guest House: Tuesday 24 March 2026, 12:00 (Kabul time)',
      sms: { encoding: 'gsm7', parts: 1 },
    });
  });
});

describe('settings and opt-outs', () => {
  test('a house that never said anything writes mail, and SMS to guests without it', async () => {
    const boss = house.newPerson();
    const { body } = await house.send(boss, 'GET', '/message-settings');
    expect(body).toEqual(defaultSettings);
  });

  test('a name, a Reply-To and a version that must fit', async () => {
    const boss = house.newPerson();
    const change = { ...defaultSettings, senderName: 'Zarghuna at the desk', replyTo: 'desk@house.example' };
    expect(await house.send(boss, 'PUT', '/message-settings', change)).toMatchObject({
      body: { version: 1 },
    });
    expect(await house.send(boss, 'PUT', '/message-settings', change)).toMatchObject({ status: 409 });
    const guest = house.guest(boss.tenantId, { email: 'named@guest.example' });
    await house.tell(boss.tenantId, guest.checkInStarted());
    const [mail] = house.mailsTo('named@guest.example');
    expect(mail?.headers.from).toBe('Zarghuna at the desk <rooms@house.example>');
    expect(mail?.headers['reply-to']).toBe('Zarghuna at the desk <desk@house.example>');
  });

  test('who wants no surveys gets none, who wants nothing gets nothing, however the address is spelt', async () => {
    const boss = house.newPerson();
    await house.putSettings(boss, { quietFrom: '00:00', quietUntil: '00:00' });
    const optOut = (address: string, scope: string) =>
      house.send(boss, 'POST', '/message-opt-outs', { channel: 'email', address, scope });
    expect((await optOut('Some@Guest.example', 'surveys')).status).toBe(201);
    expect((await optOut('none@guest.example', 'all')).status).toBe(201);
    expect(await optOut('two@guest.example, three@guest.example', 'all')).toMatchObject({
      status: 422,
      body: { code: 'ADDRESS_UNREADABLE' },
    });
    const some = house.guest(boss.tenantId, { email: 'some@guest.example' });
    const none = house.guest(boss.tenantId, { email: 'none@guest.example' });
    await house.tell(boss.tenantId, some.checkedOut(), none.checkedOut());
    const seen = async (of: Stay) =>
      (await house.messages(boss.tenantId, of))
        .map(({ template, channel }) => `${template} ${channel}`)
        .sort();
    expect(await seen(some)).toEqual(['receipt email', 'stay_survey sms']);
    expect(await seen(none)).toEqual(['receipt sms', 'stay_survey sms']);
    const { body } = await house.send(boss, 'GET', '/message-opt-outs');
    expect(JSON.stringify(body)).not.toContain('guest.example');
    const lifted = { channel: 'email', address: 'NONE@guest.example' };
    expect(await house.send(boss, 'POST', '/message-opt-outs/lift', lifted)).toMatchObject({
      body: { wasOptedOut: true },
    });
  });
});

test('safety-50: texts and addresses are forgotten after the house’s time, what became of them is not', async () => {
  const boss = house.newPerson();
  await house.putSettings(boss, { retentionDays: 7 });
  const [old, fresh] = [
    house.guest(boss.tenantId, { email: 'old@guest.example' }),
    house.guest(boss.tenantId, { email: 'fresh@guest.example' }),
  ];
  await house.tell(boss.tenantId, old.checkInStarted(), fresh.checkInStarted());
  const { admin } = house.system.database;
  await admin(
    `update notification.messages set created_at = now() - interval '8 days'
     where tenant_id = $1 and address = 'old@guest.example'`,
    [boss.tenantId],
  );
  await house.purge();
  const rows = await admin<{ row: string }>(
    'select t::text as row from notification.messages t where tenant_id = $1',
    [boss.tenantId],
  );
  expect(rows.filter(({ row }) => row.includes('old@guest.example'))).toEqual([]);
  expect(rows.filter(({ row }) => row.includes('fresh@guest.example'))).toHaveLength(1);
  const [message] = (await house.messages(boss.tenantId, old)) as [MessageView];
  expect(message).toMatchObject({ status: 'dispatched', to: null });
  const { body } = await house.send(boss, 'GET', `/messages/${message.messageId}`);
  expect(body).toMatchObject({ subject: null, text: null, html: null });
  expect((await house.send(boss, 'POST', `/messages/${message.messageId}/resend`, {})).status).toBe(202);
});

/** One good body per route that takes one; the receipt's is its provider's own. */
const good: Record<string, () => { path: string; body: Record<string, unknown> }> = {
  'POST /api/v1/messages/:messageId/resend': () => ({
    path: `/messages/${newId('msg')}/resend`,
    body: { channel: 'sms' },
  }),
  'PUT /api/v1/message-templates/:template/:locale': () => ({
    path: '/message-templates/receipt/en',
    body: { version: 3, ...words },
  }),
  'POST /api/v1/message-templates/:template/:locale/preview': () => ({
    path: '/message-templates/welcome/en/preview',
    body: words,
  }),
  'PUT /api/v1/message-settings': () => ({
    path: '/message-settings',
    body: { ...defaultSettings, version: 9 },
  }),
  'POST /api/v1/message-opt-outs': () => ({
    path: '/message-opt-outs',
    body: { channel: 'email', address: 'fuzz@guest.example', scope: 'all' },
  }),
  'POST /api/v1/message-opt-outs/lift': () => ({
    path: '/message-opt-outs/lift',
    body: { channel: 'email', address: 'fuzz@guest.example' },
  }),
  'POST /api/v1/message-receipts/:provider/:account': () => ({
    path: `/message-receipts/twilio/${owner.tenantId}`,
    body: { id: 'evt-1', status: 'delivered' },
  }),
};
const nameOf = (route: AnyRoute) => `${route.method} ${route.path}`;
const withBody = service.routes.filter(route => route.body !== undefined);

test('every route that takes a body is tried with one', () => {
  expect(withBody.map(nameOf).sort()).toEqual(Object.keys(good).sort());
});

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    1.5,
    1e21,
    '',
    'x'.repeat(5_000),
    [],
    {},
    [null],
    '\u0007',
    'a\nb',
    '\ud800',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

test.each(withBody.map(route => [nameOf(route), route] as const))(
  'VAL-01: %s refuses a body outside its schema with 4xx, writes nothing, and never answers 5xx',
  async (name, route) => {
    const everything = async () =>
      JSON.stringify(
        await house.system.database.admin(
          `select (select count(*)::int from notification.letters) as letters,
                  (select count(*)::int from notification.receipts) as receipts,
                  (select count(*)::int from notification.suppressions) as suppressions,
                  (select coalesce(sum(version), 0)::int from notification.template_texts) as words,
                  (select coalesce(sum(version), 0)::int from notification.settings) as settings`,
        ),
      );
    await fc.assert(
      fc.asyncProperty(odd, fc.nat(), fc.boolean(), async (value, at, isExtra) => {
        const { path, body } = (good[name] as (typeof good)[string])();
        const keys = Object.keys(body);
        const key = isExtra ? 'tenantId' : (keys[at % keys.length] as string);
        const spoilt = JSON.parse(JSON.stringify({ ...body, [key]: value }));
        const fits = route.body?.safeParse(spoilt).success === true;
        const before = fits ? '' : await everything();
        const { status } = await house.send(owner, route.method, path, spoilt);
        expect(status).toBeLessThan(500);
        if (fits) return;
        expect(status).toBe(400);
        expect(await everything()).toBe(before);
      }),
      { numRuns: 15 },
    );
  },
);

test('safety-11: who may call what', () => {
  const table = routeTable([service]).map(
    ({ method, path, auth, roles }) =>
      `${method} ${path.replace('/api/v1', '')}: ${auth === 'open' ? 'open' : roles.join(' ')}`,
  );
  const [boss, desk] = ['manager owner', 'front_desk manager owner'];
  expect(table).toEqual([
    `GET /message-opt-outs: ${boss}`,
    `POST /message-opt-outs: ${desk}`,
    `POST /message-opt-outs/lift: ${desk}`,
    'POST /message-receipts/:provider/:account: open',
    `GET /message-settings: ${boss}`,
    `PUT /message-settings: ${boss}`,
    `GET /message-templates: ${boss}`,
    `DELETE /message-templates/:template/:locale: ${boss}`,
    `PUT /message-templates/:template/:locale: ${boss}`,
    `POST /message-templates/:template/:locale/preview: ${boss}`,
    `GET /messages: auditor ${desk}`,
    `GET /messages/:messageId: ${desk}`,
    `POST /messages/:messageId/resend: ${desk}`,
  ]);
});
