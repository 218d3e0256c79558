import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Assets } from './assets.ts';
import { troublePage } from './pages/trouble.ts';
import { languageOf, send } from './serve-page.ts';
import { speechOf } from './speech.ts';

/** Where payment providers send guests back to; the same for every hotel. */
export const RETURN_PATH = '/pay/return';

const NAME = 'booking_return';
// Only a waiting page of this site: whoever could write the cookie could still not send a guest elsewhere.
const waitingPage = /^(?:\/t\/[a-z0-9-]{1,64})?\/(?:en|ps|fa-AF)\/pay\/bdr_[0-9A-Z]{26}$/;

/** Remembers which waiting page the guest leaves for the provider: an address without anything about him. */
export function returnCookie(page: string): string {
  return `${NAME}=${encodeURIComponent(page)}; Path=/pay; Max-Age=7200; HttpOnly; Secure; SameSite=Lax`;
}

/** Brings a guest back from the provider to his waiting page; without its cookie it tells him how to get there. */
export function returnFromPayment(assets: Assets) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const locale = languageOf(request.headers['accept-language']) ?? 'en';
    const scene = {
      root: '',
      base: `/${locale}`,
      here: '',
      speech: speechOf({ locale, calendar: 'gregorian', digits: 'latn' }),
      hotel: undefined,
      assets,
      nonce: randomBytes(16).toString('base64'),
    };
    const [, value = ''] = new RegExp(`(?:^|; )${NAME}=([^;]*)`).exec(request.headers.cookie ?? '') ?? [];
    const page = decoded(value);
    const answer = waitingPage.test(page)
      ? { redirect: `${page}?returned=1` }
      : troublePage(scene, 'returned', []);
    return send(scene, answer, { request, reply });
  };
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
