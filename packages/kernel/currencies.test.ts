import { describe, expect, test } from 'vitest';
import { currencies, isCurrencyCode } from './currencies.ts';

const entries = Object.entries(currencies);

describe('the currency table', () => {
  test.each([
    ['AFN', 2],
    ['PKR', 2],
    ['IRR', 2],
    ['IQD', 3],
    ['KWD', 3],
    ['BHD', 3],
    ['OMR', 3],
    ['JOD', 3],
    ['TND', 3],
    ['LYD', 3],
    ['JPY', 0],
    ['KRW', 0],
    ['VND', 0],
    ['ISK', 0],
    ['UGX', 0],
    ['XOF', 0],
    ['USD', 2],
    ['EUR', 2],
    ['INR', 2],
    ['AED', 2],
    ['TRY', 2],
    ['MGA', 2],
    ['UZS', 2],
  ] as const)('R19: ISO 4217 gives %s %i minor digits', (code, exponent) => {
    expect(currencies[code].exponent).toBe(exponent);
  });

  test('R19: exactly the known currencies deviate from two digits', () => {
    const withExponent = (digits: number) =>
      entries.filter(([, { exponent }]) => exponent === digits).map(([code]) => code);
    expect(withExponent(0).join(' ')).toBe('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF');
    expect(withExponent(3).join(' ')).toBe('BHD IQD JOD KWD LYD OMR TND');
    expect(withExponent(2)).toHaveLength(entries.length - 16 - 7);
  });

  test('holds every active currency Intl knows, and nothing that was withdrawn', () => {
    // Withdrawn by 2026 (ANG, BGN, CUC, HRK, SLL, ZWL) or not money to pay with (XDR, XSU).
    const notOurs = new Set(['ANG', 'BGN', 'CUC', 'HRK', 'SLL', 'ZWL', 'XDR', 'XSU']);
    const known = Intl.supportedValuesOf('currency');
    expect(known.length).toBeGreaterThan(150);
    expect(known.filter(code => !notOurs.has(code) && !isCurrencyCode(code))).toEqual([]);
    expect([...notOurs].filter(isCurrencyCode)).toEqual([]);
  });

  test('is sorted, named, and its three fields fit together', () => {
    expect(entries.map(([code]) => code)).toEqual(entries.map(([code]) => code).toSorted());
    for (const [code, { exponent, displayDigits, cashStep, name }] of entries) {
      expect(code).toMatch(/^[A-Z]{3}$/);
      expect(name).not.toBe('');
      expect(displayDigits).toBeLessThanOrEqual(exponent);
      expect(cashStep).toBeGreaterThan(0n);
      // What cash can pay is shown without further digits.
      expect(displayDigits === 0 ? cashStep % 10n ** BigInt(exponent) : 0n).toBe(0n);
    }
  });

  test('R19: in the region, storage, display and cash are three different facts', () => {
    expect(currencies.AFN).toEqual({ exponent: 2, displayDigits: 0, cashStep: 100n, name: 'Afghani' });
    expect(currencies.PKR).toMatchObject({ exponent: 2, displayDigits: 0, cashStep: 100n });
    expect(currencies.IRR).toMatchObject({ exponent: 2, displayDigits: 0, cashStep: 100_000n });
    expect(currencies.IQD).toMatchObject({ exponent: 3, displayDigits: 0, cashStep: 250_000n });
    expect(currencies.USD).toMatchObject({ exponent: 2, displayDigits: 2, cashStep: 1n });
  });

  test.each(['afn', 'AF', 'AFNN', '', 'XXX', 'XAU', 'constructor', '__proto__', null, undefined, 971])(
    '%j is no currency',
    code => {
      expect(isCurrencyCode(code)).toBe(false);
    },
  );
});
