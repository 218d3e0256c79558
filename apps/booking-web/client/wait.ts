// Asks how the booking goes, as often as the server says, and moves on when it is decided.
type State = { state: string; next: string | null; pay: string | null; pollMs: number };

const box = document.querySelector<HTMLElement>('[data-wait]');
if (box !== null) start(box);

function start(box: HTMLElement): void {
  const url = box.dataset.wait ?? '';
  const away = box.querySelector<HTMLElement>('[data-offline]');
  let shown = box.dataset.state;
  goToPay(box.dataset.pay ?? '');
  ask(Number(box.dataset.poll));

  function ask(afterMs: number): void {
    setTimeout(look, Math.min(15_000, Math.max(1_000, afterMs)));
  }

  async function look(): Promise<void> {
    try {
      const reply = await fetch(url, { headers: { accept: 'application/json' } });
      const { state, next, pay, pollMs } = (await reply.json()) as State;
      if (away !== null) away.hidden = true;
      if (next !== null) location.replace(next);
      else if (state !== shown || (pay !== null && box.dataset.pay === '')) location.reload();
      else ask(pollMs);
      shown = state;
    } catch {
      // The line is gone: say so, and ask again more slowly.
      if (away !== null) away.hidden = false;
      ask(5_000);
    }
  }
}

/** Opens the payment page once by itself; whoever comes back from it finds the button. */
function goToPay(page: string): void {
  if (page === '') return;
  const key = `pay:${page}`;
  if (sessionStorage.getItem(key) !== null) return;
  sessionStorage.setItem(key, '1');
  location.assign(page);
}

/** Marks this file as a module. */
export const waiting = box !== null;
