// The service worker of one hotel. It never answers from a cache while there is a line, except for hashed files.
const scope = globalThis as unknown as {
  location: Location;
  addEventListener(type: string, listener: (event: WorkerEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
};
type WorkerEvent = {
  request: Request;
  waitUntil(work: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
};

const base = new URLSearchParams(scope.location.search).get('base') ?? '';
const offlinePage = `${base}/offline`;
const CACHE = 'booking-offline-1';

scope.addEventListener('install', event =>
  event.waitUntil(keepOfflinePage().then(() => scope.skipWaiting())),
);
scope.addEventListener('activate', event => event.waitUntil(scope.clients.claim()));
scope.addEventListener('fetch', event => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.mode === 'navigate') event.respondWith(fetch(request).catch(offline));
  else if (origin === scope.location.origin && pathname.startsWith('/assets/booking/'))
    event.respondWith(keptFile(request));
});

/** The page and every file it names. */
async function keepOfflinePage() {
  const cache = await caches.open(CACHE);
  const page = await fetch(offlinePage, { credentials: 'omit' });
  if (!page.ok) return;
  const files = (await page.clone().text()).match(/\/assets\/booking\/[\w./-]+/g) ?? [];
  await cache.put(offlinePage, page);
  await cache.addAll([...new Set(files)]);
}

async function offline(): Promise<Response> {
  return (await caches.match(offlinePage)) ?? Response.error();
}

async function keptFile(request: Request): Promise<Response> {
  return (await caches.match(request.url)) ?? fetch(request);
}
