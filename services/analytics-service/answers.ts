import { answer } from '@ghasi/backbone/question';
import { type Actor, tenantRead } from '@ghasi/db/tenant-transaction';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { summary } from './contract/questions.ts';
import { readSummary } from './queries/summary.ts';

const self: Actor = { type: 'service', id: 'analytics-service' };

/** The numbers of some days, for whoever shows them beside other things. */
export const summaryAnswer = answer(summary, ({ db, log }, { tenantId, from, until, ...asked }) =>
  tenantRead(db, { tenantId, actor: self, log }, ctx =>
    readSummary(ctx, { ...asked, from: from as LocalDate, until: until as LocalDate }),
  ),
);
