import { idFromUuid } from '@ghasi/domain-primitives/ids';
import { money, toJson } from '@ghasi/domain-primitives/money';
import type { z } from 'zod';
import type { FolioFacts } from './contract/questions.ts';
import type { folioView, invoiceView, latePostingView, lineView } from './contract/resources.ts';
import { type Folio, heldAmount, owed, owedBy, totals } from './model/folio.ts';
import type { StoredLine } from './model/line.ts';
import type { Collection } from './queries/collections.ts';
import type { Invoice } from './queries/invoices.ts';
import type { LatePosting } from './queries/late-postings.ts';

const moneyIn = (currency: string) => (minor: bigint) => toJson(money(minor, currency));

/** What a folio comes to. */
export function viewSums(folio: Folio) {
  const inMoney = moneyIn(folio.currency);
  const [balance, held] = [owed(folio), heldAmount(folio)];
  return {
    ...{ folioId: folio.id, reservationId: folio.reservationId, currency: folio.currency },
    status: folio.status === 'closed' ? ('closed' as const) : ('open' as const),
    ...{ balance: inMoney(balance), depositsHeld: inMoney(held), due: inMoney(balance - held) },
  };
}

/** A folio for the desk, with all its lines. */
export function viewFolio(
  folio: Folio,
  { lines, collections }: { lines: readonly StoredLine[]; collections: readonly Collection[] },
): z.input<typeof folioView> {
  const inMoney = moneyIn(folio.currency);
  const { charges, payments, refunds } = totals(folio);
  const { propertyId, guestId, stage, routes, occasion, openedOn, closedOn, version } = folio;
  let balance = 0n;
  return {
    ...{ ...viewSums(folio), propertyId, guestId, stage, routes, occasion, openedOn, closedOn, version },
    ...{ charges: inMoney(charges), payments: inMoney(payments), refunds: inMoney(refunds) },
    splits: folio.splits.map(({ number, payer, name }) => ({
      ...{ split: number, payer, name, balance: inMoney(owedBy(folio, number)) },
    })),
    deposits: folio.payments.flatMap(({ id, amount, deposit }) =>
      deposit === null ? [] : [{ paymentId: id, amount: inMoney(amount), state: deposit }],
    ),
    lines: lines.map(line => {
      balance += effectsOf(line).reduce((sum, { amount }) => sum + amount, 0n);
      return viewLine(line, { inMoney, balance });
    }),
    collections: collections.map(({ amount, rail, outcome, paymentId, at }) => ({
      ...{ amount: inMoney(amount), rail, outcome, at: at.toISOString() },
      paymentId: paymentId === null ? null : idFromUuid('pay', paymentId),
    })),
  };
}

type Of = { inMoney: ReturnType<typeof moneyIn>; balance: bigint };

function viewLine(line: StoredLine, { inMoney, balance }: Of): z.input<typeof lineView> {
  const { id: lineId, position, kind, split, businessDate, occurredAt, recordedBy } = line;
  return {
    ...{ lineId, position, kind, split, businessDate, recordedBy, occurredAt: occurredAt.toISOString() },
    source: line.source ?? null,
    paymentId: line.paymentId ?? null,
    refundId: line.refundId ?? null,
    reversedLineId: line.reversedLineId ?? null,
    text: line.text ?? null,
    ...{ net: inMoney(line.net), tax: inMoney(line.tax), balance: inMoney(balance) },
    effects: effectsOf(line).map(({ split: on, amount }) => ({ split: on, amount: inMoney(amount) })),
  };
}

function effectsOf({ entries }: StoredLine): { split: number; amount: bigint }[] {
  return entries.flatMap(({ account, amount }) =>
    account.startsWith('guest:') ? [{ split: Number(account.slice(6)), amount }] : [],
  );
}

/** A folio for boards. */
export function viewFacts(folio: Folio, lines: readonly StoredLine[]): FolioFacts {
  const inMoney = moneyIn(folio.currency);
  const { charges, payments, refunds } = totals(folio);
  const byKind = Map.groupBy(lines, ({ kind }) => kind);
  return {
    ...viewSums(folio),
    ...{ charges: inMoney(charges), payments: inMoney(payments), refunds: inMoney(refunds) },
    splits: folio.splits.map(({ number, payer }) => ({
      ...{ split: number, payer, balance: inMoney(owedBy(folio, number)) },
    })),
    lines: [...byKind].map(([kind, some]) => ({
      ...{
        kind,
        count: some.length,
        amount: inMoney(some.reduce((sum, { net, tax }) => sum + net + tax, 0n)),
      },
    })),
  };
}

/** Something that came too late. */
export function viewLate(late: LatePosting): z.input<typeof latePostingView> {
  const inMoney = moneyIn(late.currency);
  const { id, kind, reason, text, status, note } = late;
  return {
    ...{ id, kind, reason, text, status, note, net: inMoney(late.net), tax: inMoney(late.tax) },
    propertyId: idFromUuid('pro', late.propertyId),
    reservationId: idFromUuid('rsv', late.reservationId),
    folioId: late.folioId === null ? null : idFromUuid('fol', late.folioId),
    arrivedAt: late.arrivedAt.toISOString(),
  };
}

/** An invoice for the desk. */
export function viewInvoice(invoice: Invoice): z.input<typeof invoiceView> {
  const inMoney = moneyIn(invoice.currency);
  const { number, split, issuedOn, net, tax, voided, document } = invoice;
  return {
    invoiceId: idFromUuid('inv', invoice.id),
    invoiceNumber: number,
    folioId: idFromUuid('fol', invoice.folioId),
    reservationId: idFromUuid('rsv', invoice.reservationId),
    propertyId: idFromUuid('pro', invoice.propertyId),
    ...{ split, issuedOn, net: inMoney(net), tax: inMoney(tax), gross: inMoney(net + tax) },
    taxes: invoice.taxes.map(({ taxCode, basisPoints, taxable, tax: of }) => ({
      ...{ taxCode, basisPoints, taxable: inMoney(BigInt(taxable)), tax: inMoney(BigInt(of)) },
    })),
    document: { fileId: idFromUuid('fil', document.id), locale: document.locale, sha256: document.sha256 },
    voided:
      voided === null
        ? null
        : {
            reason: voided.reason,
            replacedBy: voided.replacedBy === null ? null : idFromUuid('inv', voided.replacedBy),
            at: voided.voidedAt.toISOString(),
          },
  };
}
