// On every page: keeps a page for the moment without a line. Failing to is no failure: the site works without it.
const { root, base } = document.body.dataset;

if (root !== undefined && base !== undefined && 'serviceWorker' in navigator) {
  const worker = `${root}offline-worker.js?base=${encodeURIComponent(base)}`;
  navigator.serviceWorker.register(worker, { scope: root }).catch(() => undefined);
}

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-retry]')) {
  button.addEventListener('click', () => location.reload());
}

/** True in a module of its own: nothing here is for others. */
export const offlineReady = true;
