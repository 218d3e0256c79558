// Says what the chosen stay costs while the guest is still choosing. The answer is a sentence made by the server.
const form = document.querySelector<HTMLFormElement>('form[data-live-price]');
const live = document.querySelector<HTMLElement>('[data-live]');
if (form !== null && live !== null) watch(form, live);

function watch(form: HTMLFormElement, live: HTMLElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = new AbortController();

  async function ask(): Promise<void> {
    asked.abort();
    asked = new AbortController();
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) query.set(name, String(value));
    try {
      const reply = await fetch(`${form.dataset.livePrice}?${query}`, { signal: asked.signal });
      const { text } = (await reply.json()) as { text: string };
      live.textContent = text;
    } catch {
      // Superseded, or no line: the button still works.
    }
  }

  form.addEventListener('change', () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 300);
  });
}

/** Marks this file as a module. */
export const watching = form !== null;
