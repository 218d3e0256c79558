import { setTimeout } from 'node:timers/promises';
import type { Assets } from './assets.ts';
import type { Bff, BffCall, BffReply } from './bff.ts';
import type { Html } from './html.ts';
import type { Speech } from './speech.ts';
import type { Hotel } from './views.ts';

/** What every page knows: where it is, how it speaks, and whose site it is. */
export type Scene = {
  /** `/t/bala-hissar`, or '' on a host of the hotel's own. */
  root: string;
  /** Root and language: what links start with. */
  base: string;
  /** What follows the base, with its query, so that another language shows the same page. */
  here: string;
  speech: Speech;
  /** Undefined where there is no hotel to speak of: unknown or suspended. */
  hotel: Hotel | undefined;
  assets: Assets;
  /** Of this response; styles with it are ours. */
  nonce: string;
};

/** A scene inside a hotel, which is where all pages but the errors are. */
export type Visit = Scene & { hotel: Hotel; ask: Ask };

/** A page to be sent. */
export type Page = {
  title: string;
  main: Html;
  status?: number;
  /** Client modules that improve it. */
  scripts?: readonly string[];
  /** Without script the page asks again after so many seconds. */
  refreshSeconds?: number;
  /** Set-Cookie lines of the site's own, with their path. */
  cookies?: readonly string[];
  /** The step of the booking it is, 1 to 4. */
  step?: 1 | 2 | 3 | 4;
};

/** What a handler answers: a page, the next page, or data for a client module. */
export type Reply = Page | { redirect: string } | { json: unknown };

/** The BFF's answer: what was asked for, or the code of a refusal. */
export type Answer<T> = { ok: true; body: T } | { ok: false; status: number; code: string };

/** Asks the BFF as this visitor. */
export type Ask = <T>(
  call: Pick<BffCall, 'method' | 'path' | 'body' | 'idempotencyKey'>,
) => Promise<Answer<T>>;

/** The visitor of one request: his cookies go along, and what the BFF sets comes back with `setCookies`. */
export function visitor(
  bff: Bff,
  who: { slug?: string; host: string; cookie: string | undefined; clientIp: string },
): { ask: Ask; setCookies: string[] } {
  const setCookies: string[] = [];
  let cookie = who.cookie;
  async function ask<T>(call: Parameters<Ask>[0]): Promise<Answer<T>> {
    const reply = await patiently(() =>
      bff({
        ...call,
        host: who.host,
        clientIp: who.clientIp,
        ...(who.slug === undefined ? {} : { slug: who.slug }),
        ...(cookie === undefined ? {} : { cookie }),
      }).catch(() => ({ status: 503, body: { code: 'UNAVAILABLE' }, setCookie: [] })),
    );
    for (const line of reply.setCookie ?? []) {
      setCookies.push(line);
      cookie = withCookie(cookie, line); // a session that began with this page serves its other calls too
    }
    if (reply.status < 400) return { ok: true, body: reply.body as T };
    return { ok: false, status: reply.status, code: codeOf(reply) };
  }
  return { ask, setCookies };
}

function codeOf({ body }: BffReply): string {
  const { code } = (body ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : 'UNAVAILABLE';
}

const PAUSES_MS = [50, 100, 200, 400, 800, 1_600];

/** The second of two clicks comes while the first is at work: it waits for that answer instead of showing a refusal. */
async function patiently(send: () => Promise<BffReply>): Promise<BffReply> {
  for (const pauseMs of PAUSES_MS) {
    const reply = await send();
    if (reply.status !== 409 || codeOf(reply) !== 'IDEMPOTENCY_IN_PROGRESS') return reply;
    await setTimeout(pauseMs);
  }
  return send();
}

function withCookie(cookie: string | undefined, setCookie: string): string {
  const [pair = ''] = setCookie.split(';');
  const name = pair.slice(0, pair.indexOf('='));
  const others = (cookie ?? '').split(/;\s*/).filter(each => each !== '' && !each.startsWith(`${name}=`));
  return [...others, pair].join('; ');
}

/** A cookie for this hotel only: two hotels on one host do not share a session. */
export function cookieUnder(setCookie: string, root: string): string {
  const parts = setCookie.split(/;\s*/).filter(part => !/^(?:path|domain)=/i.test(part));
  return [...parts, `Path=${root === '' ? '/' : root}`].join('; ');
}
