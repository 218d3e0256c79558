import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Portal } from '../fixtures/portal.ts';
import { MOST_BYTES } from './content-lines.ts';
import { createFetchCalendar, type FetchOptions, type Lookup } from './fetch-calendar.ts';

let portal: Portal;
beforeAll(async () => {
  portal = await Portal.open();
});
afterAll(() => portal.close());
beforeEach(() => {
  portal.tells({ uid: 'a', from: '2027-05-10', until: '2027-05-12' });
  portal.requests.length = 0;
});

const anywhere = { mayConnect: () => true };
const nothing = { etag: null, lastModified: null };
const fetchAt = (url = portal.url, options: FetchOptions = anywhere, seen = nothing) =>
  createFetchCalendar(options)(url, { ...seen, signal: new AbortController().signal });
const reason = async (answer: Promise<unknown>) => ((await answer) as { reason?: string }).reason;

test('a calendar is fetched once, and "nothing new" is heard with what the portal gave', async () => {
  const first = await fetchAt();
  expect(first).toMatchObject({ kind: 'fresh', etag: expect.stringMatching(/^"/), lastModified: null });
  expect(Buffer.from((first as { bytes: Uint8Array }).bytes).toString()).toBe(portal.calendar);
  const again = { ...nothing, etag: (first as { etag: string }).etag } as unknown as typeof nothing;
  expect(await fetchAt(portal.url, anywhere, again)).toEqual({ kind: 'unchanged' });
  expect(portal.requests.map(({ headers }) => headers['accept-encoding'])).toEqual(['identity', 'identity']);
});

test('Last-Modified is sent back too, and what cannot be a header is forgotten', async () => {
  const modified = 'Mon, 10 May 2027 10:00:00 GMT';
  portal.answer = (_, response) =>
    response.writeHead(200, { 'last-modified': modified, etag: `"${'x'.repeat(400)}"` }).end('x');
  expect(await fetchAt()).toMatchObject({ kind: 'fresh', lastModified: modified, etag: null });
  await fetchAt(portal.url, anywhere, { ...nothing, lastModified: modified as never });
  expect(portal.requests.at(-1)?.headers['if-modified-since']).toBe(modified);
});

describe('safety-24: where it does not go', () => {
  test('addresses of this machine are refused unless the installation allows them, and nothing is sent', async () => {
    for (const host of ['127.0.0.1', '[::1]', '0x7f.1'])
      expect(await reason(fetchAt(`http://${host}:${portal.port}/`, {}))).toContain('public internet');
    expect(portal.requests).toEqual([]);
  });

  const lookupTo =
    (...answers: string[]): Lookup =>
    (_, __, done) => {
      const address = answers.length > 1 ? answers.shift() : answers[0];
      const family = address?.includes(':') === true ? 6 : 4;
      done(null, [{ address: address ?? '', family }]);
    };

  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1'])(
    'a name that leads to %s is refused when it is connected to',
    async address => {
      const url = `http://portal.example:${portal.port}/`;
      expect(await reason(fetchAt(url, { lookup: lookupTo(address) }))).toContain('public internet');
      expect(portal.requests).toEqual([]);
    },
  );

  test('a name with one private address among public ones is refused', async () => {
    const both: Lookup = (_, __, done) =>
      done(null, [
        { address: '8.8.8.8', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
    const url = `http://portal.example:${portal.port}/`;
    expect(await reason(fetchAt(url, { lookup: both }))).toContain('public internet');
  });

  test('DNS rebinding: the address that was judged is the one that is used, and it is looked up once', async () => {
    let asked = 0;
    const rebinding: Lookup = (_, __, done) => {
      asked += 1;
      done(null, [{ address: asked === 1 ? '127.0.0.1' : '8.8.8.8', family: 4 }]);
    };
    const url = `http://portal.example:${portal.port}/`;
    expect(await fetchAt(url, { ...anywhere, lookup: rebinding })).toMatchObject({
      kind: 'fresh',
    });
    expect(asked).toBe(1);
  });

  test('redirects are followed a few times, judged like any address, and never to another protocol', async () => {
    const to = (location: string) => {
      portal.answer = (request, response) => {
        if (request.url === '/end') response.writeHead(200).end('x');
        else response.writeHead(302, { location }).end();
      };
    };
    to('/end');
    expect(await fetchAt()).toMatchObject({ kind: 'fresh' });
    to('/again');
    expect(await reason(fetchAt())).toContain('more than 3 times');
    to('file:///etc/passwd');
    expect(await reason(fetchAt())).toContain('http or https');
    to('http://user@127.0.0.1/');
    expect(await reason(fetchAt())).toContain('user name');
    to(`http://127.0.0.2:${portal.port}/end`);
    const firstOnly = { mayConnect: (address: string) => address === '127.0.0.1' };
    expect(await reason(fetchAt(portal.url, firstOnly))).toContain('public internet');
    portal.answer = (_, response) => response.writeHead(302).end();
    expect(await reason(fetchAt())).toContain('nowhere');
  });
});

describe('what a portal may do', () => {
  test.each([404, 410, 429, 500, 204, 206])('status %s is a failure', async status => {
    portal.answer = (_, response) => response.writeHead(status).end();
    expect(await reason(fetchAt())).toBe(`it answers with status ${status}`);
  });

  test('304 without having been asked is a failure', async () => {
    portal.answer = (_, response) => response.writeHead(304).end();
    expect(await reason(fetchAt())).toContain('304');
  });

  test('more than 2 MB is cut off, announced or not', async () => {
    portal.answer = (_, response) =>
      response.writeHead(200, { 'content-length': String(MOST_BYTES + 1) }).end();
    expect(await reason(fetchAt())).toContain('bytes');
    portal.answer = (_, response) => {
      const send = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
        if (!response.destroyed) response.once('drain', send);
      };
      response.writeHead(200);
      send();
    };
    expect(await reason(fetchAt())).toContain('bytes');
  });

  test('a compressed answer is refused: a small one could become a large one', async () => {
    portal.answer = (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(portal.calendar));
    expect(await reason(fetchAt())).toContain('compressed');
  });

  test.each(['before its first byte', 'after it'])(
    'a portal that falls silent %s is given up',
    async when => {
      portal.answer = (_, response) => {
        if (when === 'after it') response.writeHead(200).write('BEGIN:VCALENDAR');
      };
      expect(await reason(fetchAt(portal.url, { ...anywhere, timeoutMs: 100 }))).toContain('longer');
    },
  );

  test('a connection that breaks, or that nobody takes, is a failure', async () => {
    portal.answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('BEGIN', () => response.destroy());
    };
    expect(await reason(fetchAt())).toContain('cannot be reached');
    const gone = await Portal.open();
    const { url } = gone;
    await gone.close();
    expect(await reason(fetchAt(url))).toBe('it cannot be reached (ECONNREFUSED)');
  });

  test('whoever asked can stop asking', async () => {
    const stop = new AbortController();
    portal.answer = () => stop.abort();
    const fetching = createFetchCalendar(anywhere)(portal.url, {
      ...nothing,
      signal: stop.signal,
    });
    await expect(fetching).rejects.toThrow();
  });

  test('no reason tells the address, which holds a secret', async () => {
    portal.answer = (_, response) => response.writeHead(500).end('s=secret');
    for (const url of [portal.url, `http://127.0.0.1:${portal.port}/?s=secret`])
      expect(JSON.stringify(await fetchAt(url))).not.toContain('secret');
  });
});
