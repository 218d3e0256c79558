import { siteAssets } from './assets.ts';
import { routeScripts } from './route-scripts.ts';

// Prints the compressed size of all script per page: `node apps/booking-web/measure.ts`.
const assets = siteAssets();
for (const { page, modules, brotli, gzip } of routeScripts(assets)) {
  process.stdout.write(
    `${page.padEnd(14)} ${String(brotli).padStart(6)} B brotli ${String(gzip).padStart(6)} B gzip  ${modules.join(' ')}\n`,
  );
}
