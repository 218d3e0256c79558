import type { Ask } from '@ghasi/backbone/question';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id, TenantId } from '@ghasi/domain-primitives/ids';
import { type QuoteView, quoteOf } from '@melmastoon/pricing-service/contract/questions';
import type { Night, TaxPart } from './model/line.ts';
import { lockFolio } from './queries/folios.ts';
import { listNights, saveNights } from './queries/nights.ts';

/** What the job works with. */
export type Learner = {
  readonly ask: Ask;
  readonly tenantId: TenantId;
  transaction<R>(work: (ctx: Ctx) => Promise<R>): Promise<R>;
};

/**
 * Where an event carries a night's tax as one sum, the quote it was sold with knows its parts. Prices are not touched (R21):
 * where the parts do not make the sum, the tax stays without a name.
 */
export async function learnTaxesOf(
  { ask, tenantId, transaction }: Learner,
  { folioId, quoteId }: { folioId: Id<'fol'>; quoteId: Id<'quo'> },
): Promise<'unknown' | 'learnt'> {
  const quote = await ask(quoteOf, { tenantId, quoteId });
  if (quote === null) return 'unknown';
  await transaction(async ctx => {
    const [folio, before] = await Promise.all([
      lockFolio(ctx.tx, { folioId }),
      listNights(ctx.tx, { folioId }),
    ]);
    if (folio?.quoteId !== quoteId) return; // other dates were agreed on meanwhile
    const after = before.map(night => (night.posted ? night : { ...night, taxes: taxesOf(quote, night) }));
    saveNights(ctx, folioId, { before, after });
  });
  return 'learnt';
}

/** The taxes of one night by code, or null when the quote does not fit it. */
export function taxesOf({ rooms }: Pick<QuoteView, 'rooms'>, night: Night): TaxPart[] | null {
  const room = rooms.find(({ bookedRoomId }) => bookedRoomId === night.bookedRoomId) ?? rooms[night.room];
  const priced = room?.nights.find(({ date }) => date === night.date);
  return partsOf(priced?.charges.filter(({ kind }) => kind === 'tax') ?? [], night.tax);
}

/** A tax by the codes of its parts, or null when they do not make it. */
export function partsOf(
  taxes: readonly { readonly code: string; readonly amount: { readonly amount: string } }[],
  tax: bigint,
): TaxPart[] | null {
  const parts = new Map<string, bigint>();
  for (const { code, amount } of taxes)
    parts.set(codeOf(code), (parts.get(codeOf(code)) ?? 0n) + BigInt(amount.amount));
  const sum = [...parts.values()].reduce((total, amount) => total + amount, 0n);
  return sum === tax ? [...parts].map(([code, amount]) => ({ code, amount })) : null;
}

/** As it stands on an invoice: letters, digits and underscores, a letter first. */
function codeOf(code: string): string {
  return code
    .replaceAll('-', '_')
    .replace(/^[^A-Z]/, first => `T${first}`)
    .slice(0, 20);
}
