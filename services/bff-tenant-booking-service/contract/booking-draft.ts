import { locale } from '@melmastoon/catalog/hotel-parts';
import { idText, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { deviceClasses } from '../contract.ts';
import { draftView } from './booking-api.ts';

const slug = z.string();

/** X-138 BookingDraft: what the hot store keeps; `state` here is `open`, `confirming` or `failed`, the rest follows from it. */
export const bookingDraft = draftView.extend({
  schemaVersion: z.literal(1),
  tenantId: tenantIdText,
  sessionId: idText('tnt'),
  quoteId: idText('quo'),
  locale,
  deviceClass: z.enum(deviceClasses),
  attribution: z
    .strictObject({ source: slug, medium: slug.nullable(), campaign: slug.nullable() })
    .nullable(),
  handoffId: idText('bha').nullable(),
});
export type Draft = z.output<typeof bookingDraft>;
