import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Assets } from './assets.ts';
import type { Bff } from './bff.ts';
import { type Fields, fieldsOf, isFromOwnPage } from './forms.ts';
import { type Locale, locales } from './messages/text-keys.ts';
import { document } from './pages/layout.ts';
import { type TroubleKind, troubleOf, troublePage } from './pages/trouble.ts';
import { speechOf } from './speech.ts';
import type { Hotel } from './views.ts';
import { cookieUnder, type Page, type Reply, type Scene, type Visit, visitor } from './visit.ts';

/** What a page handler gets beside the visit. */
export type PageRequest = {
  query: Fields;
  /** The form that was sent; empty on a GET. */
  form: Fields;
  params: Readonly<Record<string, string>>;
  now: Date;
};

/** One page under every root and language. */
export type PageRoute = {
  method: 'GET' | 'POST';
  /** After the language: `/rooms`; '' is the first page. */
  path: string;
  /** Pages of others may send here, because what they send is signed. */
  fromAnywhere?: true;
  handle(visit: Visit, request: PageRequest): Promise<Reply>;
};

type Site = { bff: Bff; assets: Assets; now: () => Date };
type Served = { locale: Locale | undefined; page: PageRoute | undefined };

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Makes Fastify handlers of page handlers: finds the hotel, speaks its language, and sends what comes back. */
export function serving(site: Site) {
  return (served: Served) => async (request: FastifyRequest, reply: FastifyReply) => {
    const params = request.params as Record<string, string>;
    const { slug } = params;
    const root = slug === undefined ? '' : `/t/${encodeURIComponent(slug)}`;
    const { ask, setCookies } = visitor(site.bff, {
      host: request.host,
      cookie: request.headers.cookie,
      clientIp: request.ip,
      ...(slug === undefined ? {} : { slug }),
    });
    const wanted = served.locale ?? languageOf(request.headers['accept-language']);
    const found = await ask<Hotel>({
      method: 'GET',
      path: `/bootstrap${wanted === undefined ? '' : `?locale=${wanted}`}`,
    });
    const nonce = randomBytes(16).toString('base64');
    const hotel = found.ok ? found.body : undefined;
    const locale = hotel?.locale ?? wanted ?? 'en';
    const scene: Scene = {
      root,
      base: `${root}/${locale}`,
      here: hereOf(request.url, root, served),
      speech: speechOf({ locale, calendar: hotel?.calendar ?? 'gregorian', digits: hotel?.digits ?? 'latn' }),
      hotel,
      assets: site.assets,
      nonce,
    };
    const answer =
      found.ok && hotel !== undefined && hotel.properties.length > 0
        ? await answerOf({ ...scene, hotel, ask }, { served, request, params, now: site.now() })
        : withoutHotel(scene, noHotel(found));
    // A form of another site comes without the guest's cookie (SameSite): the session made for it must not replace his.
    if (served.page?.fromAnywhere !== true)
      for (const line of setCookies) reply.header('set-cookie', cookieUnder(line, root));
    return send(scene, answer, { request, reply });
  };
}

async function answerOf(
  visit: Visit,
  {
    served,
    request,
    params,
    now,
  }: { served: Served; request: FastifyRequest; params: Record<string, string>; now: Date },
): Promise<Reply> {
  const { page } = served;
  const home = [{ href: visit.base, key: 'trouble.search_again' as const }];
  if (page === undefined || !hasGoodIds(params)) {
    return troublePage(visit, 'not_found', [
      ...home,
      { href: `${visit.base}/manage`, key: 'trouble.open_with_code' },
    ]);
  }
  if (page.method === 'POST' && !mayPost(page, request)) return troublePage(visit, 'not_found', home);
  return page.handle(visit, {
    query: fieldsOf(request.url.split('?')[1] ?? ''),
    form: fieldsOf(typeof request.body === 'string' ? request.body : ''),
    params,
    now,
  });
}

/** safety-32: a form, from one of our own pages; the signed arrival may come from elsewhere. */
function mayPost(page: PageRoute, request: FastifyRequest): boolean {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '');
  return isForm && (page.fromAnywhere === true || isFromOwnPage(request.headers, request.host));
}

/** Ids become part of the BFF's addresses: nothing else may stand there. */
function hasGoodIds({ draftId, reservationId }: Record<string, string>): boolean {
  return [draftId, reservationId].every(id => id === undefined || /^[a-z]{3}_[0-9A-Z]{26}$/.test(id));
}

/** The path of this page without root and language, so that another language can be put in front of it. */
function hereOf(url: string, root: string, { locale, page }: Served): string {
  if (locale === undefined || page === undefined || page.method === 'POST') return '';
  return url.slice(`${root}/${locale}`.length);
}

/** A wrong address stays wrong; everything else may be over when the guest looks again. */
function withoutHotel(scene: Scene, kind: TroubleKind): Page {
  const again = { href: `${scene.base}${scene.here}`, key: 'trouble.try_again' as const };
  return troublePage(scene, kind, kind === 'unknown_hotel' ? [] : [again]);
}

function noHotel(found: { ok: boolean; status?: number; code?: string }) {
  if (found.ok) return 'suspended' as const; // a tenant whose house is not open yet
  const { status = 503, code = '' } = found;
  if (/NOT_ACTIVE|SUSPENDED|CLOSED/.test(code)) return 'suspended' as const;
  if (status === 404 || status === 400) return 'unknown_hotel' as const;
  return status === 403 || status === 410 || status === 423
    ? ('suspended' as const)
    : troubleOf({ status, code });
}

/** The first language of ours that the browser asks for; undefined leaves it to the hotel. */
export function languageOf(header: string | undefined): Locale | undefined {
  for (const wish of (header ?? '').split(',').slice(0, 10)) {
    const [tag = ''] = wish.trim().toLowerCase().split(';');
    if (tag.startsWith('fa') || tag.startsWith('prs')) return 'fa-AF';
    const found = locales.find(locale => tag === locale.toLowerCase() || tag.startsWith(`${locale}-`));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** safety-34: our own files, styles with this response's nonce, no inline script, nothing from anywhere else. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Sends what a handler answered. */
export async function send(
  scene: Scene,
  answer: Reply,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  reply.headers({
    'cache-control': 'private, no-store', // safety-29: a page of a session is nobody else's
    'referrer-policy': 'same-origin', // no-referrer would send our own forms with "Origin: null"
    'x-content-type-options': 'nosniff',
    'content-security-policy': policy(scene.nonce),
  });
  if ('redirect' in answer) return reply.code(303).header('location', answer.redirect).send();
  if ('json' in answer)
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.json));
  return sendPage(document(scene, answer), answer, { request, reply });
}

async function sendPage(
  text: string,
  page: Page,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  for (const line of page.cookies ?? []) reply.header('set-cookie', line);
  reply.code(page.status ?? 200).header('vary', 'accept-encoding, accept-language');
  reply.type('text/html; charset=utf-8');
  const accepts = request.headers['accept-encoding'] ?? '';
  // Level 4 takes about a millisecond for a page and saves four fifths of it: at 400 kbit/s that is half a second.
  if (/\bbr\b/.test(accepts)) {
    const bytes = await brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
    return reply.header('content-encoding', 'br').send(bytes);
  }
  if (/\bgzip\b/.test(accepts))
    return reply.header('content-encoding', 'gzip').send(await gzipped(text, { level: 6 }));
  return reply.send(text);
}
