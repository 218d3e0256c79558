import { createFetchCalendar, type FetchCalendar, type FetchOptions } from './calendar/fetch-calendar.ts';

/** How this installation reaches the calendars of portals. */
export type Calendars = { readonly options: FetchOptions; readonly fetchCalendar: FetchCalendar };

/** Opens the way to portals. */
export function openCalendars(options: FetchOptions = {}): Calendars {
  return { options, fetchCalendar: createFetchCalendar(options) };
}
