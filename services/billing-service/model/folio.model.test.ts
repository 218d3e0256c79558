import { newId } from '@ghasi/domain-primitives/ids';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventsOf } from '../events.ts';
import { begin, newTruth, postingIn, type Step, step, type Truth, take } from '../fixtures/folio-model.ts';
import { type Book, bookOf } from './book.ts';
import { heldAmount, owed, owedBy, prepared, totals } from './folio.ts';
import { checkOut } from './stay.ts';

const HISTORIES = Number(process.env.MELM_MODEL_RUNS ?? 2_000);

const folioOf = () =>
  prepared({ id: newId('fol'), reservationId: newId('rsv'), propertyId: newId('pro'), currency: 'AFN' });

/** `expect` costs 40 µs (measured), and there are a million of these. */
function must(holds: boolean, law: string): void {
  if (!holds) throw new Error(law);
}

/** What must hold after every step, whatever it was. That each line balances was seen when it was written. */
function check({ folio }: Book, { sums }: Truth): void {
  const on = (account: string) => sums.get(account) ?? 0n;
  let [all, guest] = [0n, 0n];
  for (const [account, amount] of sums) {
    all += amount;
    if (account.startsWith('guest:')) guest += amount;
  }
  must(all === 0n, 'debits equal credits');
  must(owed(folio) === guest, 'the balance is the sum of the lines');
  const splits = folio.splits.map(({ number }) => owedBy(folio, number));
  must(splits.reduce((sum, one) => sum + one, 0n) === guest, 'the splits make the balance');
  must(
    splits.every((one, n) => one === on(`guest:${n + 1}`)),
    'each split is the sum of its lines',
  );
  const { charges, payments, refunds } = totals(folio);
  must(charges - payments + refunds === guest, 'charged, paid and given back make the balance');
  must(on('deposits') === -heldAmount(folio), 'what is held is owed to the guest');
  must(
    folio.payments.every(({ amount, refunded }) => refunded >= 0n && refunded <= amount),
    'refunds never exceed captures',
  );
  must(on('refunds_due') <= 0n, 'nobody owes us a refund');
}

const neutral = ['transfer', 'split', 'route', 'check-in', 'leave'];

function play(steps: readonly Step[]): { book: Book; truth: Truth } {
  const truth = newTruth();
  let book = begin(bookOf(folioOf()), truth);
  for (const one of steps) {
    const before = book;
    book = take(one, before, truth);
    check(book, truth);
    if (neutral.includes(one.do)) must(owed(book.folio) === owed(before.folio), `${one.do} moves no money`);
    if (before.folio.status !== 'closed') continue;
    must(book.folio.status === 'closed' && owed(book.folio) === 0n, 'closed stays closed, at zero');
    must(totals(book.folio).charges === totals(before.folio).charges, 'a closed bill is frozen');
  }
  return { book, truth };
}

/** Anything in any order; every other guest leaves and pays in between, for few would find their way out by chance. */
const leaving: Step[] = [{ do: 'check-in' }, { do: 'check-out' }, { do: 'settle' }];
const history = fc
  .tuple(fc.array(step, { minLength: 3, maxLength: 30 }), fc.boolean(), fc.array(step, { maxLength: 8 }))
  .map(([before, leaves, after]) => [...before, ...(leaves ? leaving : []), ...after]);

test(`M2, R22, R23: ${HISTORIES} random histories of a folio: debits equal credits at every prefix, splits conserve their sum`, () => {
  const met: Record<string, number> = {};
  let closed = 0;
  fc.assert(
    fc.property(history, steps => {
      const { book, truth } = play(steps);
      for (const [what, times] of Object.entries(truth.met)) met[what] = (met[what] ?? 0) + times;
      if (book.folio.status === 'closed') closed++;
      if (closed % 20 === 0) eventsOf(book); // throws where a fact breaks the law of its event
    }),
    { numRuns: HISTORIES },
  );
  expect(Object.keys(met).sort()).toEqual([
    ...['cancel', 'check-in', 'check-out', 'close-day', 'date-change', 'leave', 'no-show', 'pay'],
    ...['refund', 'reverse', 'revive', 'route', 'sell', 'settle', 'split', 'transfer'],
  ]);
  expect(closed).toBeGreaterThan(HISTORIES / 5);
});

test('M2, R21, X-126: however often the dates change, in the end the guest has been charged his nights and what he was sold', () => {
  const staying = fc.array(
    step.filter(({ do: what }) => !['cancel', 'no-show', 'revive', 'check-out', 'leave'].includes(what)),
    { minLength: 3, maxLength: 30 },
  );
  fc.assert(
    fc.property(staying, steps => {
      const { book, truth } = play([{ do: 'check-in' }, ...steps]);
      const left = checkOut({ ...book, facts: [] }, postingIn(truth));
      const nights = left.nights.reduce((sum, { net, tax }) => sum + net + tax, 0n);
      expect(totals(left.folio).charges).toBe(nights + truth.charged);
      expect(heldAmount(left.folio)).toBe(0n);
      for (const { number } of left.folio.splits)
        for (const account of [`unearned:${number}`, `unearned_tax:${number}`])
          expect(left.folio.balances.get(account) ?? 0n).toBe(0n);
    }),
    { numRuns: Math.ceil(HISTORIES / 3) },
  );
});
