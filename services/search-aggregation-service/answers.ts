import { answer } from '@ghasi/backbone/question';
import type { Database } from '@ghasi/db/database';
import { type Actor, tenantRead } from '@ghasi/db/tenant-transaction';
import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import type { z } from 'zod';
import {
  findListingsQuestion,
  MOST_PAGES,
  type SearchRequest,
  type searchAnswer,
} from './contract/questions.ts';
import { findListings } from './queries/search.ts';

const self: Actor = { type: 'service', id: 'search-aggregation-service' };

/** Finds houses for whoever asks: nobody's tenant, and nothing but what is listed. */
export async function search(db: Database, asked: SearchRequest): Promise<z.input<typeof searchAnswer>> {
  // No tenant is asked for, and the function needs none; the platform's transaction is read only.
  const who = { tenantId: PLATFORM_TENANT_ID, actor: self };
  const found = await tenantRead(db, who, ({ tx }) => findListings(tx, asked));
  const { page, perPage } = asked;
  const hasMore = found.length > perPage && page < MOST_PAGES;
  return { listings: found.slice(0, perPage), page, nextPage: hasMore ? page + 1 : null };
}

/** The search for other services. */
export const listingsAnswer = answer(findListingsQuestion, ({ db }, asked) => search(db, asked));
