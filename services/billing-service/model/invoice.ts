import { divideRounded } from '@ghasi/domain-primitives/rounding';
import { add, sumOf } from './accounts.ts';
import { chargeKinds, type LineKind, type StoredLine, type Taxed } from './line.ts';

/** One tax of an invoice. The rate is what the tax comes to of what is taxed, rounded to the basis point. */
export type InvoiceTax<Amount = bigint> = {
  readonly taxCode: string;
  readonly basisPoints: number;
  readonly taxable: Amount;
  readonly tax: Amount;
};

/** What an invoice says, all of it from its lines. */
export type InvoiceSums = Taxed & { readonly taxes: readonly InvoiceTax[] };

/** True for a line that belongs on an invoice. */
export function isCharge({ kind }: { kind: LineKind }): boolean {
  return (chargeKinds as readonly string[]).includes(kind);
}

/** The charges of a split that are on no valid invoice. */
export function billable(
  lines: readonly StoredLine[],
  { split, invoiced }: { split: number; invoiced: ReadonlySet<string> },
): StoredLine[] {
  return lines.filter(line => isCharge(line) && line.split === split && !invoiced.has(line.id));
}

/** Sums of an invoice: what its lines charge, and each tax with what it was taken of (R20). */
export function sumInvoice(lines: readonly StoredLine[]): InvoiceSums {
  const net = lines.reduce((sum, line) => sum + line.net, 0n);
  const tax = lines.reduce((sum, line) => sum + line.tax, 0n);
  const byCode = new Map<string, { tax: bigint; taxable: bigint }>();
  for (const line of lines) {
    const taxable = -sumOf(add(new Map(), line.entries), 'revenue');
    for (const { account, amount } of line.entries) {
      if (!account.startsWith('tax:')) continue;
      const code = account.slice(4);
      const known = byCode.get(code) ?? { tax: 0n, taxable: 0n };
      byCode.set(code, { tax: known.tax - amount, taxable: known.taxable + taxable });
    }
  }
  const taxes = [...byCode]
    .filter(([, { tax: of }]) => of !== 0n)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([taxCode, of]) => ({ taxCode, basisPoints: rateOf(of), ...of }));
  return { net, tax, taxes };
}

function rateOf({ tax, taxable }: { tax: bigint; taxable: bigint }): number {
  if (taxable <= 0n) return 0;
  const rate = Number(divideRounded(tax * 10_000n, taxable, 'half-up'));
  return Math.min(Math.max(rate, 0), 10_000);
}

/** The number as printed: `INV-2026-000417`. The sequence never starts anew, so a year has no gap either. */
export function invoiceNumber(of: { prefix: string; sequence: number; issuedOn: string }): string {
  return `${of.prefix}-${of.issuedOn.slice(0, 4)}-${String(of.sequence).padStart(6, '0')}`;
}
