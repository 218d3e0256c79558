import { idText, instant } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { evictionReasons } from '../contract.ts';
import { freshness } from './questions.ts';

/** How a house's own people see its listing. */
export const ownListingView = z.strictObject({
  propertyId: idText('pro'),
  /** They want it to be found. */
  wanted: z.boolean(),
  /** It is found; `waiting`: nothing was computed yet. */
  status: z.enum(['listed', 'gone', 'waiting']),
  reason: z.enum(evictionReasons).nullable(),
  version: z.int().min(0),
  freshness,
  /** What each part was computed from, and what went wrong. */
  parts: z.array(
    z.strictObject({
      handler: z.enum(['facts', 'availability', 'prices']),
      status: z.enum(['PENDING', 'COMPLETED', 'FAILED']),
      watermark: z.int().min(0),
      sourceWatermark: z.int().min(0),
      computedAt: instant.nullable(),
    }),
  ),
});
