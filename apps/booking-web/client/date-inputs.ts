import { type Calendar, isoOf, partsOf } from './calendar.ts';

// A date is one native input in the Gregorian calendar and three lists in the solar Hijri one.

type Field = HTMLInputElement | HTMLSelectElement;

function field(form: HTMLFormElement, name: string): Field | null {
  return form.querySelector<Field>(`[name="${name}"]`);
}

/** The ISO date the fields show; undefined when they show none. */
export function readDate(form: HTMLFormElement, name: string, calendar: Calendar): string | undefined {
  const single = field(form, name);
  if (single !== null) return single.value === '' ? undefined : single.value;
  const part = (which: string) => Number(field(form, `${name}_${which}`)?.value);
  return isoOf({ year: part('year'), month: part('month'), day: part('day') }, calendar);
}

/** Shows an ISO date in the fields. */
export function writeDate(form: HTMLFormElement, name: string, iso: string, calendar: Calendar): void {
  const single = field(form, name);
  if (single !== null) {
    single.value = iso;
    return;
  }
  for (const [which, value] of Object.entries(partsOf(iso, calendar))) {
    const list = field(form, `${name}_${which}`);
    if (list !== null) list.value = String(value);
  }
}
