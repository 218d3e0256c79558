/**
 * Accounts of the ledger. `guest:<split>` is what a part of a folio owes; `unearned:<split>` and `unearned_tax:<split>`
 * were charged ahead of their nights by a date change; `deposits` and `refunds_due` are owed to guests; `suspense` is
 * money that came or went after its folio was closed; `money:<rail>` is where payment-gateway-service keeps it.
 */
export type Account =
  | `guest:${number}`
  | `unearned:${number}`
  | `unearned_tax:${number}`
  | `tax:${string}`
  | 'revenue:rooms'
  | 'revenue:fees'
  | 'revenue:services'
  | `money:${string}`
  | 'deposits'
  | 'refunds_due'
  | 'suspense';

/** One side of a line: a positive amount is a debit, a negative one a credit. */
export type Entry = { readonly account: Account; readonly amount: bigint };

/** What stands on each account, debits less credits. */
export type Balances = ReadonlyMap<string, bigint>;

/** What stands on one account. */
export function balanceOf(balances: Balances, account: Account): bigint {
  return balances.get(account) ?? 0n;
}

/** The balances after some more entries. */
export function add(balances: Balances, entries: readonly Entry[]): Balances {
  const after = new Map(balances);
  for (const { account, amount } of entries) after.set(account, (after.get(account) ?? 0n) + amount);
  return after;
}

/** What all accounts of a kind hold together, e.g. `guest` over all splits. */
export function sumOf(balances: Balances, kind: 'guest' | 'unearned' | 'unearned_tax' | 'tax' | 'revenue') {
  let total = 0n;
  for (const [account, amount] of balances) if (account.startsWith(`${kind}:`)) total += amount;
  return total;
}

/** Entries without those that move nothing. */
export function entries(...all: readonly [Account, bigint][]): Entry[] {
  return all.filter(([, amount]) => amount !== 0n).map(([account, amount]) => ({ account, amount }));
}

/** The lesser of two amounts. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The amount, or nothing where it is less. */
export function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}
