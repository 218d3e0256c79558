import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CurrencyCode, currencies } from './currencies.ts';
import { AppError, coreErrors } from './errors.ts';
import { format, fromDecimal, fromJson, money, toDecimal, toJson } from './money.ts';

const codes = Object.keys(currencies) as CurrencyCode[];
const anyMoney = fc
  .tuple(fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }), fc.constantFrom(...codes))
  .map(([minor, code]) => money(minor, code));

const malformed = expect.toSatisfy(coreErrors.MALFORMED_MONEY.is);

/** Digits of any script as ASCII, so that a shown amount can be read back without knowing the locale. */
function asciiDigits(text: string): string {
  return text.replaceAll(/[۰-۹٠-٩]/g, digit => String((digit.codePointAt(0) ?? 0) & 0xf));
}

describe('money as JSON', () => {
  test('every amount of every currency survives the round trip through text', () => {
    fc.assert(
      fc.property(anyMoney, amount => {
        expect(fromJson(JSON.parse(JSON.stringify(toJson(amount))))).toEqual(amount);
      }),
    );
  });

  test('the amount is minor units as a decimal string', () => {
    expect(toJson(money(12_500n, 'AFN'))).toEqual({ amount: '12500', currency: 'AFN' });
    expect(fromJson({ amount: '-5', currency: 'KWD' })).toEqual(money(-5n, 'KWD'));
    expect(fromJson({ amount: '999999999999999999', currency: 'IRR' }).minor).toBe(10n ** 18n - 1n);
  });

  test.each([
    [{ amount: 12500, currency: 'AFN' }, 'must be a string, got number'],
    [{ amount: Number.NaN, currency: 'AFN' }, 'must be a string'],
    [{ amount: 1n, currency: 'AFN' }, 'must be a string, got bigint'],
    [{ currency: 'AFN' }, 'must be a string, got undefined'],
    [{ amount: 'NaN', currency: 'AFN' }, 'whole minor units'],
    [{ amount: 'Infinity', currency: 'AFN' }, 'whole minor units'],
    [{ amount: '125.00', currency: 'AFN' }, 'whole minor units'],
    [{ amount: '1e21', currency: 'AFN' }, 'whole minor units'],
    [{ amount: '', currency: 'AFN' }, 'whole minor units'],
    [{ amount: ' 1', currency: 'AFN' }, 'whole minor units'],
    [{ amount: '1\n', currency: 'AFN' }, 'whole minor units'],
    [{ amount: '+1', currency: 'AFN' }, 'whole minor units'],
    [{ amount: '0x10', currency: 'AFN' }, 'whole minor units'],
    [{ amount: '1_000', currency: 'AFN' }, 'whole minor units'],
    [{ amount: '۱۲', currency: 'AFN' }, 'whole minor units'],
    [{ amount: '--1', currency: 'AFN' }, 'whole minor units'],
    [{ amount: '-0', currency: 'AFN' }, 'sign but no value'],
    [{ amount: '007', currency: 'AFN' }, 'leading zeros'],
    [{ amount: '-01', currency: 'AFN' }, 'leading zeros'],
    [{ amount: '00', currency: 'AFN' }, 'leading zeros'],
    [{ amount: '1'.repeat(19), currency: 'AFN' }, 'more than 18 digits'],
    [{ amount: '9'.repeat(1_000_000), currency: 'AFN' }, 'more than 18 digits'],
    [{ amount: '1', currency: 'AFN', rate: '1' }, 'unknown field "rate"'],
    [null, 'expected {'],
    ['12500 AFN', 'expected {'],
    [['12500', 'AFN'], 'expected {'],
  ])('refuses %#', (value, why) => {
    expect(() => fromJson(value)).toThrow(malformed);
    expect(() => fromJson(value)).toThrow(why);
  });

  test.each(['afn', 'ZZZ', 'BGN', '', undefined, null, 7, { toString: () => 'AFN' }, 'x'.repeat(100_000)])(
    'refuses currency %#',
    currency => {
      expect(() => fromJson({ amount: '1', currency })).toThrow(
        expect.toSatisfy(coreErrors.UNKNOWN_CURRENCY.is),
      );
    },
  );

  test('whatever is sent, the answer is an amount or a clear error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.record({ amount: fc.anything(), currency: fc.constantFrom('AFN', 'x') }),
          fc.record({ amount: fc.string(), currency: fc.constantFrom(...codes) }),
        ),
        value => {
          try {
            expect(toJson(fromJson(value))).toEqual(value);
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
          }
        },
      ),
    );
  });
});

describe('money as decimal text', () => {
  test.each(codes)('R19: one minor unit of %s survives the round trip at its own exponent', code => {
    const { exponent } = currencies[code];
    const text = exponent === 0 ? '1' : `0.${'0'.repeat(exponent - 1)}1`;
    expect(toDecimal(money(1n, code))).toBe(text);
    expect(fromDecimal(text, code)).toEqual(money(1n, code));
    expect(fromDecimal('1', code).minor).toBe(10n ** BigInt(exponent));
  });

  test('every amount survives', () => {
    fc.assert(
      fc.property(anyMoney, amount => {
        expect(fromDecimal(toDecimal(amount), amount.currency)).toEqual(amount);
      }),
    );
  });

  test('fewer fraction digits are filled, more are refused instead of rounded', () => {
    expect(fromDecimal('125.5', 'AFN')).toEqual(money(12_550n, 'AFN'));
    expect(fromDecimal('-0.05', 'AFN')).toEqual(money(-5n, 'AFN'));
    expect(() => fromDecimal('125.505', 'AFN')).toThrow('AFN has 2 fraction digits');
    expect(() => fromDecimal('1.0', 'JPY')).toThrow('JPY has 0 fraction digits');
  });

  test.each([
    '',
    '.5',
    '5.',
    '1,000',
    '1e3',
    'NaN',
    '01',
    '-',
    '-0',
    '-0.00',
    '+1',
    ' 1',
    '1 ',
    '9'.repeat(18),
  ])('refuses %j', text => {
    expect(() => fromDecimal(text, 'AFN')).toThrow(malformed);
  });
});

describe('money for people', () => {
  test('R19: Intl’s own digits are a trap, ours are right', () => {
    // Were Intl asked, 12.50 AFN would read 13: this is why the table exists.
    expect(format(money(1_250n, 'AFN'), 'en')).toContain('12.50');
    expect(format(money(1_250n, 'IQD'), 'en')).toContain('1.250');
    expect(format(money(1n, 'PKR'), 'en')).toContain('0.01');
  });

  test('round amounts have the display digits of the region', () => {
    expect(format(money(125_000n, 'AFN'), 'en')).toMatch(/1,250$/);
    expect(format(money(125_000n, 'USD'), 'en')).toBe('$1,250.00');
    expect(format(money(1_250n, 'JPY'), 'en')).toBe('¥1,250');
  });

  test('Dari and Pashto read their own digits and the afghani sign', () => {
    for (const locale of ['fa-AF', 'ps-AF']) {
      const text = format(money(125_000n, 'AFN'), locale);
      expect(text).toMatch(/۱.?۲۵۰/);
      expect(text).toContain('؋');
    }
  });

  test('nothing is rounded away, in any locale, at any size', () => {
    fc.assert(
      fc.property(
        anyMoney,
        fc.constantFrom('en', 'fa-AF', 'ps-AF', 'ur-PK', 'de', 'ar-EG'),
        (amount, locale) => {
          const shown = asciiDigits(format(amount, locale)).replaceAll(/\D/g, '');
          const exact = toDecimal(amount).replaceAll(/\D/g, '');
          const { exponent, displayDigits } = currencies[amount.currency];
          const hidden = '0'.repeat(exponent - displayDigits);
          expect([exact, exact.slice(0, exact.length - hidden.length)]).toContain(shown);
          expect(shown === exact || exact.endsWith(hidden)).toBe(true);
        },
      ),
    );
  });
});
