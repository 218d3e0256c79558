import type { Assets } from './assets.ts';

/** The client modules that each page starts, beside `offline`, which every page has. */
export const pageModules = {
  search: ['date-grid', 'live-price'],
  rooms: [],
  arrival: ['arrive'],
  details: ['guest-details'],
  waiting: ['wait'],
  confirmation: ['saved-booking'],
  manage: ['date-grid'],
} as const satisfies Record<string, readonly string[]>;

/** All script of each page with its imports, in compressed bytes. */
export function routeScripts(assets: Assets) {
  return Object.entries(pageModules).map(([page, entries]) => {
    const modules = [...new Set(['offline', ...entries].flatMap(name => assets.modules(name)))];
    const size = (form: 'brotli' | 'gzip') =>
      modules.reduce(
        (sum, name) =>
          sum + (assets.files.get(assets.url(name).split('/').at(-1) ?? '')?.[form]?.length ?? 0),
        0,
      );
    return { page, modules, brotli: size('brotli'), gzip: size('gzip') };
  });
}
