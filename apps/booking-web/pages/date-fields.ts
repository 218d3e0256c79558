import { type Calendar, partsOf } from '../client/calendar.ts';
import { flag, type Html, html } from '../html.ts';
import { monthNames, shortWeekdays, weekdayNames } from '../messages/calendar-names.ts';
import { directionOf } from '../messages/catalogue.ts';
import type { Speech } from '../speech.ts';

/** What the date fields need. */
export type DateFields = {
  speech: Speech;
  arrival: string;
  departure: string;
  today: string;
  weekendDays: readonly number[];
  /** Of the prices in the grid. */
  currency: string;
  /** Where the calendar of prices is, without its dates; for the grid. */
  calendarUrl: string;
};

/**
 * Arrival and departure: native date inputs in the Gregorian calendar, day, month and year to choose in the solar Hijri
 * one, since browsers have no input for it. With script a calendar opens over them and writes into them.
 */
export function dateFields(fields: DateFields): Html {
  const { speech, today, calendarUrl, currency, weekendDays } = fields;
  const grid = {
    calendar: speech.calendar,
    direction: directionOf(speech.locale),
    today,
    weekend: weekendDays,
    url: calendarUrl,
    months: monthNames[speech.locale][speech.calendar],
    weekdays: weekdayNames[speech.locale],
    short: shortWeekdays[speech.locale],
    // Saturday first where the solar calendar is lived by, Monday elsewhere.
    firstDay: speech.calendar === 'solar-hijri' ? 6 : 1,
    digits: Array.from({ length: 10 }, (_, digit) => speech.number(digit)).join(''),
    texts: gridTexts(speech, currency),
  };
  return html`<div class="dates" data-date-grid="${JSON.stringify(grid)}">
<input type="hidden" name="calendar" value="${speech.calendar}">
${dateField(fields, 'arrival')}
${dateField(fields, 'departure')}
</div>`;
}

function gridTexts(speech: Speech, currency: string) {
  const plain = (key: Parameters<Speech['say']>[0]) => speech.say(key);
  return {
    open: plain('grid.open'),
    arrival: plain('grid.pick_arrival'),
    departure: plain('grid.pick_departure'),
    previous: plain('grid.previous'),
    next: plain('grid.next'),
    close: plain('grid.close'),
    soldOut: plain('grid.sold_out'),
    closed: plain('grid.closed'),
    help: `${speech.say('grid.prices', { currency: speech.currency(currency) })} ${plain('grid.help')}`,
    full: speech.say('date.full', { weekday: '{weekday}', day: '{day}', month: '{month}', year: '{year}' }),
  };
}

function dateField({ speech, arrival, departure, today }: DateFields, name: 'arrival' | 'departure'): Html {
  const value = name === 'arrival' ? arrival : departure;
  const label = speech.say(name === 'arrival' ? 'search.arrival' : 'search.departure');
  if (speech.calendar === 'gregorian') {
    return html`<div class="field"><label for="${name}">${label}</label><input type="date" id="${name}" name="${name}" value="${value}" min="${today}" required></div>`;
  }
  return html`<fieldset class="field triple"><legend>${label}</legend>${solarSelects(speech, name, value, today)}</fieldset>`;
}

function solarSelects(speech: Speech, name: string, value: string, today: string): Html {
  const chosen = partsOf(value, 'solar-hijri');
  const first = partsOf(today, 'solar-hijri').year;
  const years = [first, first + 1, first + 2];
  const days = Array.from({ length: 31 }, (_, at) => at + 1);
  return html`${select({
    id: name,
    name: `${name}_day`,
    label: speech.say('search.day'),
    options: days.map(day => [day, speech.number(day)]),
    chosen: chosen.day,
  })}${select({
    id: `${name}_month`,
    name: `${name}_month`,
    label: speech.say('search.month'),
    options: monthNames[speech.locale][speech.calendar as Calendar].map((month, at) => [at + 1, month]),
    chosen: chosen.month,
  })}${select({
    id: `${name}_year`,
    name: `${name}_year`,
    label: speech.say('search.year'),
    options: years.map(year => [year, speech.number(year)]),
    chosen: chosen.year,
  })}`;
}

type Choice = {
  id: string;
  name: string;
  label: string;
  options: readonly (readonly [number, string])[];
  chosen: number;
};

/** A list to choose a number from. */
export function select({ id, name, label, options, chosen }: Choice): Html {
  return html`<span class="select"><label for="${id}">${label}</label><select id="${id}" name="${name}">${options.map(
    ([value, text]) => html`<option value="${value}" ${flag('selected', value === chosen)}>${text}</option>`,
  )}</select></span>`;
}
