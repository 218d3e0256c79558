import { defineQuestion } from '@ghasi/backbone/question';
import { idText, localDate, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { comparisonNames, isPeriod, notAPeriod, summaryView } from './views.ts';

/** The numbers of some days of a house, or of all houses (null), with how current they are. For the back office's boards. */
export const summary = defineQuestion({
  name: 'analytics.summary',
  input: z
    .strictObject({
      tenantId: tenantIdText,
      propertyId: idText('pro').nullable(),
      from: localDate,
      until: localDate,
      compare: z.enum(comparisonNames).nullable().default(null),
    })
    .refine(isPeriod, notAPeriod),
  output: summaryView,
});
