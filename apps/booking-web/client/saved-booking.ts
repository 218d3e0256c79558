// Keeps the confirmation in this browser as plain text, and shows what was kept when there is no line.
type Saved = { code: string; summary: string; facts: [string, string][]; savedAt: number };

const KEY = 'melmastoon:bookings';
const MOST = 10;

const ticket = document.querySelector<HTMLElement>('[data-saved-booking]');
if (ticket !== null) save(ticket);
const list = document.querySelector<HTMLElement>('[data-saved-list]');
if (list !== null) show(list);

function read(): Saved[] {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(saved) ? (saved as Saved[]) : [];
  } catch {
    return [];
  }
}

function save(ticket: HTMLElement): void {
  const code = ticket.dataset.savedBooking ?? '';
  const facts = [...ticket.querySelectorAll<HTMLElement>('.facts-list > div')].map(
    (row): [string, string] => [textOf(row.querySelector('dt')), textOf(row.querySelector('dd'))],
  );
  const one: Saved = { code, summary: ticket.dataset.summary ?? '', facts, savedAt: Date.now() };
  try {
    const others = read().filter(each => each.code !== code);
    // A booking that is over must not be shown at a desk: what was kept of it goes.
    const kept = 'over' in ticket.dataset ? others : [one, ...others];
    localStorage.setItem(KEY, JSON.stringify(kept.slice(0, MOST)));
    const note = document.querySelector<HTMLElement>('[data-saved]');
    if (note !== null) note.hidden = false;
  } catch {
    // No storage here: the code is still on the screen, and it prints.
  }
  const print = document.querySelector<HTMLButtonElement>('[data-print]');
  if (print !== null) {
    print.hidden = false;
    print.addEventListener('click', () => globalThis.print());
  }
}

function textOf(element: HTMLElement | null): string {
  return (element?.innerText ?? '').trim().replace(/\s*\n\s*/g, ', ');
}

function show(list: HTMLElement): void {
  const saved = read();
  const none = document.querySelector<HTMLElement>('[data-saved-none]');
  if (none !== null) none.hidden = saved.length > 0;
  for (const { code, summary, facts } of saved) {
    const item = element('li', '');
    item.append(element('p', code, 'code'), element('p', summary, 'strong'));
    for (const [name, value] of facts) item.append(element('p', `${name}: ${value}`, 'small'));
    list.append(item);
  }
}

function element(name: string, text: string, className = ''): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  if (className === 'code') made.dir = 'ltr';
  return made;
}

/** Marks this file as a module. */
export const kept = ticket !== null;
