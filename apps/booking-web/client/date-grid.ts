// A calendar over the date fields, after the date picker dialog of the WAI-ARIA Authoring Practices: one dialog for
// both dates. It writes into the native fields, which stay and keep working.
import {
  type Calendar,
  dayNumber,
  isoOf,
  monthLength,
  partsOf,
  shiftDays,
  shiftMonths,
  weekdayOf,
} from './calendar.ts';
import { readDate, writeDate } from './date-inputs.ts';
import { dayCell, type GridSettings, inDigits, monthHead } from './grid-cells.ts';

type Price = { date: string; state: 'open' | 'sold_out' | 'closed'; text: string };

for (const box of document.querySelectorAll<HTMLElement>('[data-date-grid]')) addGrid(box);

function addGrid(box: HTMLElement): void {
  const settings = JSON.parse(box.dataset.dateGrid ?? '{}') as GridSettings;
  const form = box.closest('form');
  if (form === null) return;
  const { texts, calendar, today } = settings;
  const last = shiftDays(today, 540);
  const prices = new Map<string, Price>();
  const asked = new Set<string>();

  const opener = button(texts.open, 'button grid-open');
  const dialog = document.createElement('dialog');
  dialog.className = 'grid-dialog';
  const title = document.createElement('h2');
  title.id = 'grid-title';
  dialog.setAttribute('aria-labelledby', title.id);
  const live = document.createElement('p');
  live.className = 'grid-month';
  live.id = 'grid-month';
  live.setAttribute('aria-live', 'polite');
  const previous = button('‹', 'grid-turn', texts.previous);
  const next = button('›', 'grid-turn', texts.next);
  const close = button('×', 'grid-turn grid-close', texts.close);
  const table = document.createElement('table');
  table.setAttribute('role', 'grid');
  table.setAttribute('aria-labelledby', live.id);
  const help = document.createElement('p');
  help.className = 'small';
  help.textContent = texts.help;
  const bar = document.createElement('div');
  bar.className = 'grid-bar';
  bar.append(previous, live, next);
  dialog.append(close, title, bar, table, help);
  box.append(opener, dialog);

  let focus = today;
  let arrival = today;
  let choosing: 'arrival' | 'departure' = 'arrival';

  opener.addEventListener('click', () => {
    choosing = 'arrival';
    arrival = readDate(form, 'arrival', calendar) ?? today;
    focus = arrival < today ? today : arrival;
    draw();
    dialog.showModal();
    focusDay();
  });
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => opener.focus());
  previous.addEventListener('click', () => turn(-1, false));
  next.addEventListener('click', () => turn(1, false));
  table.addEventListener('click', event => {
    const day = (event.target as HTMLElement).closest<HTMLElement>('[data-day]')?.dataset.day;
    if (day !== undefined) choose(day);
  });
  table.addEventListener('keydown', event => {
    const moved = moveFor(event, focus, settings);
    if (moved === undefined) return;
    event.preventDefault();
    if (moved === 'choose') choose(focus);
    else goTo(moved);
  });

  function turn(months: number, moveFocus: boolean): void {
    focus = clamp(monthsLater(focus, months, calendar));
    draw();
    if (moveFocus) focusDay();
  }

  function goTo(day: string): void {
    focus = clamp(day);
    draw();
    focusDay();
  }

  function clamp(day: string): string {
    const least = choosing === 'departure' ? shiftDays(arrival, 1) : today;
    return day < least ? least : day > last ? last : day;
  }

  function choose(day: string): void {
    if (day < today || day > last) return;
    if (choosing === 'arrival') {
      if (isTaken(day)) return;
      arrival = day;
      choosing = 'departure';
      goTo(shiftDays(day, 1));
      return;
    }
    if (day <= arrival) {
      choosing = 'arrival';
      choose(day);
      return;
    }
    writeDate(form as HTMLFormElement, 'arrival', arrival, calendar);
    writeDate(form as HTMLFormElement, 'departure', day, calendar);
    form?.dispatchEvent(new Event('change'));
    dialog.close();
  }

  function isTaken(day: string): boolean {
    const state = prices.get(day)?.state;
    return state === 'sold_out' || state === 'closed';
  }

  function focusDay(): void {
    table.querySelector<HTMLElement>(`[data-day="${focus}"]`)?.focus();
  }

  function draw(): void {
    title.textContent = choosing === 'arrival' ? texts.arrival : texts.departure;
    const { year, month } = partsOf(focus, calendar);
    const heading = `${settings.months[month - 1]} ${inDigits(year, settings)}`;
    if (live.textContent !== heading) live.textContent = heading;
    const first = isoOf({ year, month, day: 1 }, calendar) ?? focus;
    const days = monthLength(year, month, calendar);
    const lead = (weekdayOf(first) - settings.firstDay + 7) % 7;
    const body = document.createElement('tbody');
    for (let start = -lead; start < days; start += 7) {
      const row = document.createElement('tr');
      for (let at = start; at < start + 7; at += 1) {
        const day = at >= 0 && at < days ? shiftDays(first, at) : undefined;
        row.append(dayCell(settings, { day, focus, arrival, choosing, last, price: prices.get(day ?? '') }));
      }
      body.append(row);
    }
    table.replaceChildren(monthHead(settings), body);
    void load(first, shiftDays(first, days));
  }

  /** Prices are an ornament: without them every day can be chosen and the next page tells. */
  async function load(from: string, to: string): Promise<void> {
    if (asked.has(from)) return;
    asked.add(from);
    const start = from < today ? today : from;
    if (dayNumber(to) <= dayNumber(start)) return;
    try {
      const hotel = new FormData(form as HTMLFormElement).get('hotel') ?? '';
      const query = new URLSearchParams({ hotel: String(hotel), from: start, to });
      const reply = await fetch(`${settings.url}?${query}`);
      if (!reply.ok) return;
      const { days } = (await reply.json()) as { days: Price[] };
      for (const day of days) prices.set(day.date, day);
      if (!dialog.open) return;
      const hadFocus = table.contains(document.activeElement);
      draw();
      if (hadFocus) focusDay();
    } catch {
      asked.delete(from);
    }
  }
}

function button(text: string, className: string, label = ''): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = className;
  made.textContent = text;
  if (label !== '') made.setAttribute('aria-label', label);
  return made;
}

/** Where a key leads: left is back in English and forward where the page is written from the right. */
function moveFor(event: KeyboardEvent, focus: string, settings: GridSettings): string | undefined {
  const ahead = settings.direction === 'rtl' ? -1 : 1;
  const inWeek = (weekdayOf(focus) - settings.firstDay + 7) % 7;
  const { calendar } = settings;
  switch (event.key) {
    case 'ArrowRight':
      return shiftDays(focus, ahead);
    case 'ArrowLeft':
      return shiftDays(focus, -ahead);
    case 'ArrowDown':
      return shiftDays(focus, 7);
    case 'ArrowUp':
      return shiftDays(focus, -7);
    case 'Home':
      return shiftDays(focus, -inWeek);
    case 'End':
      return shiftDays(focus, 6 - inWeek);
    case 'PageDown':
      return monthsLater(focus, event.shiftKey ? 12 : 1, calendar);
    case 'PageUp':
      return monthsLater(focus, event.shiftKey ? -12 : -1, calendar);
    case 'Enter':
    case ' ':
      return 'choose';
    default:
      return undefined;
  }
}

/** The same day of another month, or its last. */
function monthsLater(iso: string, months: number, calendar: Calendar): string {
  const from = partsOf(iso, calendar);
  const { year, month } = shiftMonths(from, months);
  const day = Math.min(from.day, monthLength(year, month, calendar));
  return isoOf({ year, month, day }, calendar) ?? iso;
}
