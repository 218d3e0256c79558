import { newId } from '@ghasi/domain-primitives/ids';
import type { QuoteView } from '@melmastoon/pricing-service/contract/questions';
import { expect, test } from 'vitest';
import { afn } from './fixtures/others-say.ts';
import { fromQuote } from './from-quote.ts';

const stay = { arrival: '2026-03-21', departure: '2026-03-22' } as const;
const charge = (code: string, kind: 'tax' | 'fee', minor: number) => ({ code, kind, amount: afn(minor) });

function nightsSold(charges: readonly object[]) {
  const price = { net: afn(180_000), tax: afn(18_000), gross: afn(198_000) };
  const quote = {
    ...{ status: 'open', expiresAt: '2026-03-02T09:00:00Z', propertyId: newId('pro'), stay, total: price },
    rooms: [{ stay, adults: 2, children: 0, nights: [{ date: stay.arrival, price, charges }] }],
    rails: [{ rail: 'cash', dueNow: afn(0) }],
    policies: { cancellation: {}, noShow: {}, deposit: null },
  } as unknown as QuoteView;
  const house = { zone: 'Asia/Kabul', checkInFrom: '14:00', checkOutUntil: '12:00' };
  const { rooms } = fromQuote({ rail: 'cash' } as never, quote, {
    house: house as never,
    noShow: { fee: afn(0), keptUntil: null } as never,
    now: new Date('2026-03-02T08:00:00Z'),
  });
  return rooms[0]?.nights;
}

test('R21: a night is sold with the parts of its tax, and without its fees', () => {
  const charges = [charge('BRT', 'tax', 16_000), charge('CLEAN', 'fee', 999), charge('CITY', 'tax', 2_000)];
  expect(nightsSold(charges)).toMatchObject([
    {
      taxes: [
        { code: 'BRT', amount: afn(16_000) },
        { code: 'CITY', amount: afn(2_000) },
      ],
    },
  ]);
});

test('R21: parts that do not make the tax are left out; the price is what was promised', () => {
  const [night] = nightsSold([charge('BRT', 'tax', 17_999)]) ?? [];
  expect(night).toMatchObject({ price: { tax: afn(18_000) } });
  expect(night).not.toHaveProperty('taxes');
});
