import { type Answer, answer } from '@ghasi/backbone/question';
import { type Actor, tenantRead } from '@ghasi/db/tenant-transaction';
import { balancesOf, folioOf } from './contract/questions.ts';
import { findFolio, listFolios } from './queries/folios.ts';
import { listLines } from './queries/lines.ts';
import { viewFacts, viewSums } from './views.ts';

const self: Actor = { type: 'service', id: 'billing-service' };

/** What boards ask. */
export const answers: Answer[] = [
  answer(folioOf, ({ db, log }, { tenantId, reservationId }) =>
    tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => {
      const folio = await findFolio(tx, { reservationId });
      if (folio === undefined || folio.status === 'prepared') return null;
      return viewFacts(folio, await listLines(tx, folio.id));
    }),
  ),
  answer(balancesOf, ({ db, log }, { tenantId, reservationIds }) =>
    tenantRead(db, { tenantId, actor: self, log }, async ({ tx }) => ({
      folios: (await listFolios(tx, reservationIds)).map(viewSums),
    })),
  ),
];
