import type { Id } from '@ghasi/domain-primitives/ids';
import { type LocalDate, weekday } from '@ghasi/domain-primitives/local-date';
import { nightDates, type Stay } from '@ghasi/domain-primitives/stay';
import type { ChargeValues, PlanValues } from './contract/resources.ts';
import { type ChargeRule, chargeNights, type Guests } from './model/charges.ts';
import { listedPrice, type QuotedNight, unchargedNight } from './model/quote.ts';
import { derivedPrice } from './model/rates.ts';
import { moneyIn } from './quote-view.ts';

/** The plans of a house of the demo. */
export const demoPlans = ['flexible', 'saver', 'halfBoard'] as const;
export type DemoPlan = (typeof demoPlans)[number];

/** Nights that cost more: Thursday and Friday, the weekend of the region. */
export const weekend: readonly number[] = [4, 5];

/** What an ordinary night and one of the weekend cost. */
export function nightlyPrices(nightly: bigint): { ordinary: bigint; weekend: bigint } {
  return { ordinary: nightly, weekend: (nightly * 115n) / 100n };
}

/** How the prices of the other plans follow from the flexible one. */
export const derivations = {
  flexible: null,
  saver: { kind: 'percent', basisPoints: -1_000 },
  halfBoard: { kind: 'percent', basisPoints: 1_500 },
} as const;

/** The taxes of the demo in the order of their codes: the order they are taken in. */
export function demoCharges(currency: string, validFrom: LocalDate): ChargeRule[] {
  const always = { countsChildren: false, validFrom, validUntil: null };
  const perNight = moneyIn(currency)(currency === 'AFN' ? 5_000n : 100n);
  const receipts: ChargeValues = {
    ...always,
    name: text('Business receipts tax', 'مالیهٔ معاملات انتفاعی', 'د انتفاعي معاملو مالیه'),
    ...{ kind: 'tax', mode: 'inclusive', basis: 'percent', basisPoints: 1_000 },
  };
  const city: ChargeValues = {
    ...always,
    name: text('City fee', 'محصول شاروالی', 'د ښاروالۍ محصول'),
    ...{ kind: 'tax', mode: 'exclusive', basis: 'per_person_night', amount: perNight },
  };
  return [
    { code: 'BRT', version: 1, values: receipts },
    { code: 'CITY', version: 1, values: city },
  ];
}

/** A room of the demo that is to be priced. */
export type DemoRoom = Guests & {
  readonly stay: Stay;
  readonly plan: DemoPlan;
  /** Of an ordinary night on the flexible plan, in minor units. */
  readonly nightly: bigint;
  readonly currency: string;
};

/** What a quote of the demo's prices would have frozen, night by night. */
export function demoNights({ stay, plan, nightly, currency, adults, children }: DemoRoom): QuotedNight[] {
  const prices = nightlyPrices(nightly);
  const derivation = derivations[plan];
  const listed = nightDates(stay).map(date => {
    const calendar = weekend.includes(weekday(date)) ? prices.weekend : prices.ordinary;
    const sold = derivation === null ? calendar : derivedPrice(calendar, { ...derivation, fromPlanId: NONE });
    return unchargedNight(date, { sold, calendar }, 0n);
  });
  const charged = chargeNights(
    listed.map(night => ({ date: night.date, price: listedPrice(night) })),
    demoCharges(currency, stay.arrival),
    { guests: { adults, children }, perStay: true },
  );
  return listed.map((night, index) => ({ ...night, ...(charged[index] as (typeof charged)[number]) }));
}

/** Which plan prices are derived from makes no difference to them. */
const NONE = 'rpl_' as Id<'rpl'>;

/** A name in the languages of the demo's prices. */
export function text(en: string, fa: string, ps: string): PlanValues['name'] {
  return [
    { locale: 'en', text: en },
    { locale: 'fa-AF', text: fa },
    { locale: 'ps', text: ps },
  ];
}
