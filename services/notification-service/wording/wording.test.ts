import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { parseZone } from '@ghasi/domain-primitives/zone';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { templates } from '../contract.ts';
import { isRightToLeft, locales } from '../model.ts';
import { formatDay, formatMoment, solarDay } from './calendar.ts';
import { compose } from './compose.ts';
import { assertWording, fill, knowledge, placeholdersIn } from './fields.ts';
import { languages } from './languages.ts';
import { escapeHtml, nameOf, oneLine } from './safe-text.ts';
import { MOST_PARTS, smsLength } from './sms-length.ts';
import { exampleHouse, exampleSource, valuesOf } from './values.ts';

const source = exampleSource(exampleHouse);
const everyText = templates.flatMap(template => locales.map(locale => [template, locale] as const));

describe('SAGA-21, SAGA-37: every template in every language', () => {
  test.each(templates)('%s has the same placeholders everywhere, and all that it knows to say', template => {
    const { knows, mustSay } = knowledge[template];
    const named = locales.map(locale => {
      const { subject, body, short } = languages[locale].templates[template];
      return [subject, body, short].map(part => placeholdersIn(part).sort());
    });
    for (const one of named) expect(one).toEqual(named[0]);
    const said = new Set(named[0]?.flat());
    expect([...said].filter(one => !(knows as readonly string[]).includes(one))).toEqual([]);
    expect(mustSay.filter(one => !said.has(one))).toEqual([]);
  });

  test.each(everyText)('%s in %s passes the rules that a house’s own words must pass', (template, locale) => {
    expect(() => assertWording(template, languages[locale].templates[template])).not.toThrow();
  });

  test('the sentences have the same placeholders everywhere too', () => {
    const shapes = locales.map(locale =>
      Object.entries(languages[locale].phrases).map(([name, phrase]) => [
        name,
        typeof phrase === 'string' ? placeholdersIn(phrase).sort() : Object.keys(phrase).sort(),
      ]),
    );
    for (const shape of shapes) expect(new Map(shape as never)).toEqual(new Map(shapes[0] as never));
  });

  test.each(everyText)(
    '%s in %s: nothing is left open, and no value is without its text',
    (template, locale) => {
      const { subject, text, html, short } = compose(languages[locale].templates[template], source, locale);
      for (const part of [subject, text, html, short]) {
        expect(part).not.toMatch(/\{\w*\}|undefined|null|NaN|Invalid/);
        expect(part.length).toBeGreaterThan(10);
      }
      expect(html.length).toBeLessThan(4_000);
      expect(subject).not.toContain('\n');
    },
  );

  test.each(everyText)(
    '%s in %s reads in its own direction, and Latin values do not turn it round',
    (template, locale) => {
      const { text, html } = compose(languages[locale].templates[template], source, locale);
      const direction = isRightToLeft(locale) ? 'rtl' : 'ltr';
      expect(html).toContain(`<html lang="${locale}" dir="${direction}">`);
      expect(html).toContain(`<body dir="${direction}"`);
      const isolates = (text.match(/\u2068/g) ?? []).length;
      expect((text.match(/\u2069/g) ?? []).length).toBe(isolates);
      expect(isolates > 0).toBe(isRightToLeft(locale));
      expect(html).toContain('<bdi>');
      expect(html).not.toMatch(/<(script|img|link|iframe)|https?:/);
    },
  );
});

const attacks = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='x",
  '&lt;b&gt;',
  '{code}',
  'Ali\r\nBcc: everybody@example.com',
  '\u202eevil\u2066',
];

describe('safety-35, safety-39: values are values', () => {
  test.each(attacks)('%j as the name of the house and of the guest stays text', attack => {
    for (const [template, locale] of everyText) {
      const house = { ...exampleHouse, name: [{ locale: 'en' as const, text: attack }] };
      const guest = { ...source, house, addressee: { ...source.addressee, name: attack, code: attack } };
      const { subject, text, html, short } = compose(languages[locale].templates[template], guest, locale);
      const inside = html.replaceAll(/<\/?(bdi|br|p|html|head|meta|title|body|!doctype)\b[^<>]*>/g, '');
      expect(inside).not.toMatch(/[<>]|on\w+=alert\(1\)>/);
      for (const part of [subject, text, html, short])
        expect(part).not.toMatch(/[\r\u202a-\u202e\u2066\u2067]|\nBcc/);
    }
  });

  test('whatever is typed, escaped text has no markup and says the same', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const escaped = escapeHtml(text);
        expect(escaped).not.toMatch(/[<>"']/);
        const back = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
        expect(escaped.replaceAll(/&(lt|gt|quot|#39|amp);/g, one => back[one as keyof typeof back])).toBe(
          text,
        );
        expect(oneLine(text)).not.toMatch(/[\n\r\t]/);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['Zarghuna Ahmadi', 'Zarghuna Ahmadi'],
    ['زرغونه احمدي', 'زرغونه احمدي'],
    ['J. R. O’Neill-Smith', 'J. R. O’Neill-Smith'],
    ['You won, go to evil.example', undefined],
    ['http://evil', undefined],
    ['x'.repeat(81), undefined],
    ['', undefined],
  ])('a letter greets %j as %j: nobody sends sentences under the house’s name', (typed, greeted) => {
    expect(nameOf(typed)).toBe(greeted);
    const { guest } = valuesOf({ ...source, addressee: { ...source.addressee, name: typed } }, 'en', 'long');
    expect(guest).toBe(greeted ?? 'guest');
  });
});

describe('R6: deadlines are in the property’s zone, with its name', () => {
  const moment = new Date('2026-03-21T13:30:00.000Z');

  test.each([
    ['en', 'long', 'Saturday 21 March 2026, 18:00 (Kabul time)'],
    ['en', 'short', '21 Mar 2026, 18:00 (Kabul time)'],
    ['fa-AF', 'long', 'شنبه ۱ حمل ۱۴۰۵ (۲۱ مارچ ۲۰۲۶) ساعت ۱۸:۰۰ به وقت کابل'],
    ['ps', 'long', 'شنبه ۱ وری ۱۴۰۵ (۲۱ مارچ ۲۰۲۶)، ۱۸:۰۰ بجې د کابل په وخت'],
    ['fa-AF', 'short', '۱ حمل ۱۴۰۵ ساعت ۱۸:۰۰ به وقت کابل'],
  ] as const)('device in Tokyo, hotel in Herat: in %s (%s) it says Kabul time', (locale, form, expected) => {
    expect(formatMoment(parseZone('Asia/Kabul'), moment, { locale, form })).toBe(expected);
  });

  test('the day is the house’s, not the server’s: after midnight in Kabul it is tomorrow', () => {
    const late = new Date('2026-03-21T20:00:00.000Z');
    const said = (zone: string) => formatMoment(parseZone(zone), late, { locale: 'en', form: 'short' });
    expect(said('Asia/Kabul')).toBe('22 Mar 2026, 00:30 (Kabul time)');
    expect(said('America/Los_Angeles')).toBe('21 Mar 2026, 13:00 (Los Angeles time)');
    expect(said('UTC')).toBe('21 Mar 2026, 20:00 (UTC time)');
  });

  test.each(locales)(
    'check-in, check-out, kept until and key hours of a confirmation all name it (%s)',
    locale => {
      const { checkIn, checkOut, keyFrom, keyUntil, payment } = valuesOf(source, locale, 'long');
      for (const said of [checkIn, checkOut, keyFrom, keyUntil, payment])
        expect(said).toContain(locale === 'en' ? 'Kabul time' : 'کابل');
      expect(keyFrom).toBe(checkIn);
    },
  );
});

describe('the solar Hijri calendar', () => {
  // First days of the year as the Afghan state kept them; 1399 and 1403 are leap years.
  test.each([
    ['2019-03-21', 1398, 1, 1],
    ['2020-03-20', 1399, 1, 1],
    ['2021-03-20', 1399, 12, 30],
    ['2021-03-21', 1400, 1, 1],
    ['2024-03-20', 1403, 1, 1],
    ['2025-03-20', 1403, 12, 30],
    ['2026-03-21', 1405, 1, 1],
    ['2026-09-23', 1405, 7, 1],
    ['2021-08-15', 1400, 5, 24],
  ])('%s is %i-%i-%i', (date, year, month, day) => {
    expect(solarDay(date as LocalDate)).toEqual({ year, month, day });
  });

  test('months have their Afghan names', () => {
    const at = (date: string) => formatDay(date as LocalDate, 'fa-AF', 'short');
    expect([at('2026-03-21'), at('2026-04-21'), at('2026-12-22')]).toEqual([
      '۱ حمل ۱۴۰۵',
      '۱ ثور ۱۴۰۵',
      '۱ جدی ۱۴۰۵',
    ]);
    expect(formatDay('2026-12-22' as LocalDate, 'ps', 'long')).toBe('سه‌شنبه ۱ مرغومی ۱۴۰۵ (۲۲ ډسمبر ۲۰۲۶)');
  });
});

describe('SMS', () => {
  test.each([
    ['', 'gsm7', 0, 1],
    ['a'.repeat(160), 'gsm7', 160, 1],
    ['a'.repeat(161), 'gsm7', 161, 2],
    ['a'.repeat(306), 'gsm7', 306, 2],
    ['a'.repeat(307), 'gsm7', 307, 3],
    ['€'.repeat(80), 'gsm7', 160, 1],
    [`${'a'.repeat(152)}€${'a'.repeat(152)}`, 'gsm7', 306, 3], // an escaped sign is not split over two parts
    ['ش'.repeat(70), 'ucs2', 70, 1],
    ['ش'.repeat(71), 'ucs2', 71, 2],
    ['ش'.repeat(135), 'ucs2', 135, 3],
    [`${'a'.repeat(70)}’`, 'ucs2', 71, 2],
    ['😀'.repeat(35), 'ucs2', 70, 1],
    [`${'ش'.repeat(66)}😀${'ش'.repeat(66)}`, 'ucs2', 134, 3], // nor is a pair
  ] as const)('%j is %s, %i units, %i parts', (text, encoding, units, parts) => {
    expect(smsLength(text)).toEqual({ encoding, units, parts });
  });

  test.each(everyText)(
    '%s in %s: English stays in the alphabet of GSM phones, and none is longer than people read',
    (template, locale) => {
      const plain = { ...source, facts: { ...source.facts, alert: 'Room 101' } };
      const { short } = compose(languages[locale].templates[template], plain, locale);
      const { encoding, parts } = smsLength(short);
      expect(encoding).toBe(locale === 'en' ? 'gsm7' : 'ucs2');
      expect(parts).toBeLessThanOrEqual(locale === 'en' ? 2 : MOST_PARTS - 2);
    },
  );
});

describe('a house’s own words', () => {
  const words = languages.en.templates.welcome;

  test.each([
    [
      'a placeholder the template does not know',
      { short: 'Welcome to {hotel}, {total}' },
      'PLACEHOLDER_UNKNOWN',
    ],
    ['a key code, which nobody knows here', { body: '{hotel} {keyCode}' }, 'PLACEHOLDER_UNKNOWN'],
    ['a single brace', { subject: 'Hello {' }, 'PLACEHOLDER_UNKNOWN'],
    ['what must be said left out', { body: 'Hello' }, 'PLACEHOLDER_MISSING'],
    ['a novel', { short: `{hotel} ${'ش'.repeat(500)}` }, 'TEXT_TOO_LONG'],
  ])('%s is refused', (_what, change, code) => {
    expect(() => assertWording('welcome', { ...words, ...change })).toThrow(
      expect.objectContaining({ code }),
    );
  });

  test('a line with nothing to say vanishes, and so does the gap it leaves', () => {
    const text = 'One\n\n{nothing}\n\n{a} and {nothing}\nTwo';
    expect(fill(text, name => (name === 'a' ? 'A' : ''))).toBe('One\n\nA and\nTwo');
  });
});

describe('what is paid, owed and given back', () => {
  const afn = (minor: number) => ({ amount: String(minor), currency: 'AFN' }) as const;
  const say = (facts: object) => valuesOf({ ...source, facts }, 'en', 'short');

  test('a paid booking, a part of it, and cash on arrival', () => {
    expect(say({ paid: afn(540_000), outstanding: afn(0) }).payment).toBe('It is paid in full.');
    expect(say({ paid: afn(100_000), outstanding: afn(440_000) }).payment).toBe(
      'AFN 1,000 is paid, AFN 4,400 is due at the house.',
    );
    const cash = { paid: afn(0), outstanding: afn(540_000), keptUntil: '2026-03-21T13:30:00.000Z' };
    expect(say(cash).payment).toBe(
      'Please pay AFN 5,400 on arrival. We keep your room until 21 Mar 2026, 18:00 (Kabul time).',
    );
  });

  test('a refund with a fee, without one, and nothing at all', () => {
    expect(say({ refund: afn(360_000), fee: afn(180_000) }).refund).toBe(
      'AFN 3,600 goes back to you. The cancellation fee is AFN 1,800.',
    );
    expect(say({ refund: afn(0), fee: afn(180_000) }).refund).toBe('The cancellation fee is AFN 1,800.');
    expect(say({ refund: afn(0), fee: afn(0) }).refund).toBe('Nothing is to be paid.');
  });

  test('R19: money is the kernel’s, in the digits of the language', () => {
    const total = { amount: '1050', currency: 'USD' } as const;
    expect(valuesOf({ ...source, facts: { total } }, 'en', 'short').total).toBe('$10.50');
    expect(valuesOf({ ...source, facts: { total: afn(540_000) } }, 'ps', 'short').total).toContain('۵٬۴۰۰');
  });
});
