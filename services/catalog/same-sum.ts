type Amount = { readonly amount: string; readonly currency: string };

/** True when both sides are of one currency and add up to the same; for the laws of money inside a payload. */
export function sameSum(left: readonly Amount[], right: readonly Amount[]): boolean {
  const [first] = [...left, ...right];
  return (
    [...left, ...right].every(({ currency }) => currency === first?.currency) && sum(left) === sum(right)
  );
}

/** True when so many of the unit cost the total, in one currency. */
export function isMultiple(unit: Amount, quantity: number, total: Amount): boolean {
  if (!Number.isSafeInteger(quantity) || unit.currency !== total.currency) return false;
  return minor(unit.amount) * BigInt(quantity) === minor(total.amount);
}

function sum(amounts: readonly Amount[]): bigint {
  return amounts.reduce((total, { amount }) => total + minor(amount), 0n);
}

/** Zod asks the law also of amounts it has already refused: those count as nothing instead of throwing. */
function minor(amount: string): bigint {
  return /^-?[0-9]+$/.test(amount) ? BigInt(amount) : 0n;
}
