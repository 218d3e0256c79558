import type { FastifyInstance } from 'fastify';
import { addAssetRoutes } from './asset-routes.ts';
import { siteAssets } from './assets.ts';
import type { Bff } from './bff.ts';
import { locales } from './messages/text-keys.ts';
import { RETURN_PATH, returnFromPayment } from './payment-return.ts';
import { arrivalRoutes } from './routes/arrival.ts';
import { bookingRoutes } from './routes/booking.ts';
import { manageRoutes } from './routes/manage.ts';
import { searchRoutes } from './routes/search.ts';
import { type PageRoute, serving } from './serve-page.ts';

/** What the site is made of. */
export type BookingSiteParts = {
  bff: Bff;
  /** Pages at `/` for hotels with a host of their own; default true. False leaves `/` to somebody else. */
  ownHosts?: boolean;
  /** The time of pages; default the real one. */
  now?: () => Date;
};

/**
 * Adds the booking site of every hotel: under `/t/:slug` and, on a host of the hotel's own, under `/`. Each page exists
 * once per language; without a language the address shows the guest's, or else the hotel's first.
 */
export async function addBookingSite(
  fastify: FastifyInstance,
  { bff, ownHosts = true, now = () => new Date() }: BookingSiteParts,
) {
  const assets = siteAssets();
  const pages: readonly PageRoute[] = [...searchRoutes, ...arrivalRoutes, ...bookingRoutes, ...manageRoutes];
  await fastify.register(async scope => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 32_768 },
      (_request, body, done) => done(null, body),
    );
    addAssetRoutes(scope, assets);
    const serve = serving({ bff, assets, now });
    scope.get(RETURN_PATH, returnFromPayment(assets));
    for (const root of ownHosts ? ['/t/:slug', ''] : ['/t/:slug']) {
      scope.get(root === '' ? '/' : root, serve({ locale: undefined, page: homeOf(pages) }));
      if (root !== '') scope.get(`${root}/`, serve({ locale: undefined, page: homeOf(pages) }));
      for (const locale of locales) {
        for (const page of pages) {
          scope.route({
            method: page.method,
            url: `${root}/${locale}${page.path}`,
            handler: serve({ locale, page }),
          });
        }
        scope.get(`${root}/${locale}/*`, serve({ locale, page: undefined }));
      }
      if (root !== '') scope.get(`${root}/*`, serve({ locale: undefined, page: undefined }));
    }
  });
}

function homeOf(pages: readonly PageRoute[]): PageRoute {
  const home = pages.find(({ method, path }) => method === 'GET' && path === '');
  if (home === undefined) throw new TypeError('a site begins with a page');
  return home;
}
