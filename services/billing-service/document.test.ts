import { createHash } from 'node:crypto';
import { newId } from '@ghasi/domain-primitives/ids';
import { money } from '@ghasi/domain-primitives/money';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DOCUMENT_POLICY, type InvoiceFacts, renderInvoice } from './document.ts';
import { words } from './document-words.ts';
import { prepared } from './model/folio.ts';
import { sumInvoice } from './model/invoice.ts';
import { chargeLine, nightLine, type StoredLine } from './model/line.ts';
import { salePrice } from './model/sale.ts';

const folio = prepared({
  ...{ id: newId('fol'), reservationId: newId('rsv'), propertyId: newId('pro'), currency: 'AFN' },
});
const posted = { businessDate: '2026-03-21', occurredAt: new Date(0), recordedBy: 'user:usr', position: 1 };
const lines: StoredLine[] = [
  nightLine(folio, {
    ...{
      bookedRoomId: newId('brm'),
      date: '2026-03-21',
      room: 0,
      net: 163_636n,
      tax: 16_364n,
      posted: false,
    },
    taxes: [
      { code: 'BRT', amount: 14_364n },
      { code: 'CITY', amount: 2_000n },
    ],
  }),
  chargeLine(folio, {
    ...{ cause: 'service:1', source: { kind: 'service', service: 'laundry' }, taxCode: 'BRT' },
    ...{ ...salePrice(money(700n, 'AFN'), 6, 1_000), text: '6 × <b>Shirts</b> & "more"' },
  }),
].map(line => ({ ...line, ...posted, id: newId('fln') }));

const facts: InvoiceFacts = {
  number: 'BH-2026-000417',
  issuedOn: '2026-03-24',
  house: {
    name: [
      { locale: 'en', text: 'Bala Hissar' },
      { locale: 'fa-AF', text: 'بالاحصار' },
    ],
    city: [{ locale: 'en', text: 'Kabul' }],
  },
  recipient: { name: 'Zarghuna <script>alert(1)</script>', address: null },
  lines,
  sums: sumInvoice(lines),
  currency: 'AFN',
};

describe('an invoice on paper', () => {
  test('EVT-44: its sums are those of its lines, each tax with what it was taken of', () => {
    expect(facts.sums).toEqual({
      net: 167_454n,
      tax: 16_746n,
      taxes: [
        { taxCode: 'BRT', basisPoints: 881, taxable: 167_454n, tax: 14_746n },
        { taxCode: 'CITY', basisPoints: 122, taxable: 163_636n, tax: 2_000n },
      ],
    });
  });

  test.each([
    ['en', 'ltr', 'AFN', '2026-03-24'],
    ['ps', 'rtl', '؋', '۱۴۰۵'],
    ['fa-AF', 'rtl', '؋', '۱۴۰۵'],
  ] as const)('%s reads %s, in its own words, digits and calendar', (locale, dir, currency, year) => {
    const html = renderInvoice(facts, locale);
    expect(html).toContain(`<html lang="${locale}" dir="${dir}">`);
    for (const part of [words[locale].invoice, words[locale].total, words[locale].night, currency, year])
      expect(html).toContain(part);
    expect(html).toContain('BH-2026-000417');
    expect(html).toContain('2026-03-24'); // also beside the solar date: no reader has to convert
  });

  test('safety-35: whatever somebody typed is text', () => {
    const html = renderInvoice(facts, 'en');
    expect(html).not.toContain('<script');
    expect(html).toContain('6 × &lt;b&gt;Shirts&lt;/b&gt; &amp; &quot;more&quot;');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), name => {
        const page = renderInvoice({ ...facts, recipient: { name, address: name } }, 'en');
        const tags = (text: string) => text.match(/<[a-z/!]/gi)?.length;
        expect(tags(page)).toBe((tags(html) ?? 0) + 4); // the address has its own paragraph and bdi
      }),
    );
  });

  test('R3: the same facts give the same bytes in every zone, and the policy allows its style alone', () => {
    const before = process.env.TZ;
    const hashes = ['UTC', 'Asia/Kabul', 'America/Los_Angeles'].flatMap(zone => {
      process.env.TZ = zone;
      return (['en', 'ps', 'fa-AF'] as const).map(locale =>
        createHash('sha256').update(renderInvoice(facts, locale)).digest('hex'),
      );
    });
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
    expect(hashes.slice(3, 6)).toEqual(hashes.slice(0, 3));
    expect(hashes.slice(6)).toEqual(hashes.slice(0, 3));
    const style = /<style>([^<]*)<\/style>/.exec(renderInvoice(facts, 'en'))?.[1] ?? '';
    expect(DOCUMENT_POLICY).toContain(createHash('sha256').update(style).digest('base64'));
  });
});

test('R20: 6 × 7.00 = 42.00 with any tax inside, and net and tax make the gross for any price', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 9n }),
      fc.integer({ min: 1, max: 999 }),
      fc.integer({ min: 0, max: 10_000 }),
      (unit, quantity, basisPoints) => {
        const { net, tax } = salePrice(money(unit, 'AFN'), quantity, basisPoints);
        expect(net + tax).toBe(unit * BigInt(quantity));
        expect(tax >= 0n && net >= 0n).toBe(true);
        const dinner = salePrice(money(700n, 'AFN'), 6, basisPoints);
        expect(dinner.net + dinner.tax).toBe(4_200n);
      },
    ),
  );
});
