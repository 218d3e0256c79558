import { describe, expect, test } from 'vitest';
import { speechOf } from './speech.ts';

const english = speechOf({ locale: 'en', calendar: 'solar-hijri', digits: 'arabext' });
const dari = speechOf({ locale: 'fa-AF', calendar: 'solar-hijri', digits: 'arabext' });
const pashto = speechOf({ locale: 'ps', calendar: 'solar-hijri', digits: 'latn' });
const plain = (text: string) => text.replace(/[\u2068\u2069\u00a0\u202f]/g, ' ').trim();

describe('speech', () => {
  test('the same day in three languages and two calendars', () => {
    expect(english.date('2026-03-21')).toBe('Saturday, 21 March 2026');
    expect(english.otherDate('2026-03-21')).toBe('1 Hamal 1405 SH');
    expect(dari.date('2026-03-21')).toBe('شنبه، ۱ حمل ۱۴۰۵');
    expect(dari.otherDate('2026-03-21')).toBe('۲۱ مارچ ۲۰۲۶');
    expect(pashto.date('2026-03-21')).toBe('شنبه، د 1405 د وری 1');
    const gregorian = speechOf({ locale: 'en', calendar: 'gregorian', digits: 'latn' });
    expect(gregorian.otherDate('2026-03-21')).toBeUndefined();
  });

  test('R6: a deadline is read on the clock of the house and names it', () => {
    expect(english.deadline('2026-03-20T20:00:00.000Z', 'Asia/Kabul')).toBe(
      '21 March 2026, 00:30 (Afghanistan Time)',
    );
    expect(dari.deadline('2026-03-20T20:00:00.000Z', 'Asia/Kabul')).toContain('۱ حمل ۱۴۰۵، ساعت ۰۰:۳۰ (');
    expect(dari.deadline('2026-03-20T20:00:00.000Z', 'Asia/Kabul')).toContain('افغانستان');
  });

  test('R19: money shows what is owed, in the digits of the hotel', () => {
    expect(plain(english.money({ amount: '360000', currency: 'AFN' }))).toMatch(/3,600$/);
    expect(plain(english.money({ amount: '3550', currency: 'USD' }))).toBe('$35.50');
    expect(plain(dari.money({ amount: '360000', currency: 'AFN' }))).toContain('۳٬۶۰۰');
    // The dot of Pashto's own form would make three and a half of three thousand.
    expect(plain(pashto.money({ amount: '360000', currency: 'AFN' }))).toBe('3,600 افغانۍ');
    expect(plain(pashto.money({ amount: '3550', currency: 'USD' }))).toContain('35.50');
  });

  test('one of a thing has its own word', () => {
    expect([english.count('nights', 1), english.count('nights', 3)]).toEqual(['1 night', '3 nights']);
    expect([dari.count('rooms.left', 1), dari.count('rooms.left', 2)]).toEqual([
      'آخرین اتاق',
      'فقط ۲ اتاق مانده',
    ]);
  });
});
