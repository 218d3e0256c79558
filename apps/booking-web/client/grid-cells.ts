import { type Calendar, partsOf, weekdayOf } from './calendar.ts';

/** What the server says about a calendar: its language, digits and days. */
export type GridSettings = {
  calendar: Calendar;
  direction: 'ltr' | 'rtl';
  today: string;
  weekend: number[];
  url: string;
  months: string[];
  weekdays: string[];
  short: string[];
  firstDay: number;
  digits: string;
  texts: Record<
    'open' | 'arrival' | 'departure' | 'previous' | 'next' | 'close' | 'soldOut' | 'closed' | 'help' | 'full',
    string
  >;
};

/** A day to be drawn; without `day` the cell is empty. */
export type Cell = {
  day: string | undefined;
  focus: string;
  arrival: string;
  choosing: 'arrival' | 'departure';
  last: string;
  price: { state: 'open' | 'sold_out' | 'closed'; text: string } | undefined;
};

/** The names of the days, from the first of the week. */
export function monthHead(settings: GridSettings): HTMLElement {
  const head = document.createElement('thead');
  const row = document.createElement('tr');
  for (let at = 0; at < 7; at += 1) {
    const day = (settings.firstDay - 1 + at) % 7;
    const cell = document.createElement('th');
    cell.scope = 'col';
    cell.abbr = settings.weekdays[day] ?? '';
    cell.textContent = settings.short[day] ?? '';
    row.append(cell);
  }
  head.append(row);
  return head;
}

/** One day: its number, its price, and in words everything a screen reader should say. */
export function dayCell(settings: GridSettings, cell: Cell): HTMLElement {
  const made = document.createElement('td');
  const { day, focus, arrival, choosing, last, price } = cell;
  if (day === undefined) return made;
  const taken = choosing === 'arrival' && price !== undefined && price.state !== 'open';
  const outside = day < settings.today || day > last || (choosing === 'departure' && day <= arrival);
  const chosen = choosing === 'departure' ? day === arrival : day === focus;
  made.dataset.day = day;
  made.tabIndex = day === focus ? 0 : -1;
  made.setAttribute('aria-selected', String(chosen));
  made.setAttribute('aria-disabled', String(outside || taken));
  if (day === settings.today) made.setAttribute('aria-current', 'date');
  made.className = [
    'day',
    taken ? 'taken' : '',
    outside ? 'outside' : '',
    settings.weekend.includes(weekdayOf(day)) ? 'weekend' : '',
    choosing === 'departure' && day === arrival ? 'start' : '',
    choosing === 'departure' && day > arrival && day <= focus ? 'between' : '',
  ].join(' ');
  // One name for eyes and ears: the rest of the date is there, but not seen.
  const [before = '', after = ''] = fullDate(day, settings).split('{day}');
  const number = inDigits(partsOf(day, settings.calendar).day, settings);
  made.append(part('span', before, 'unseen'), part('span', number, 'number'), part('span', after, 'unseen'));
  if (price !== undefined && !outside) {
    if (price.state === 'open') made.append(part('small', price.text, ''));
    else
      made.append(
        part('small', price.state === 'closed' ? settings.texts.closed : settings.texts.soldOut, ''),
      );
  }
  return made;
}

function part(name: string, text: string, className: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

/** The whole date but for the number of its day, which stands where `{day}` is. */
function fullDate(day: string, settings: GridSettings): string {
  const { year, month } = partsOf(day, settings.calendar);
  return settings.texts.full
    .replace('{weekday}', settings.weekdays[weekdayOf(day) - 1] ?? '')
    .replace('{month}', settings.months[month - 1] ?? '')
    .replace('{year}', inDigits(year, settings));
}

/** A number in the digits of the hotel. */
export function inDigits(value: number, settings: GridSettings): string {
  return String(value).replace(/\d/g, digit => [...settings.digits][Number(digit)] ?? digit);
}
