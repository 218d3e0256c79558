import { defineEvent } from '@melmastoon/catalog/define-event';
import { count, days, locale, sha256 } from '@melmastoon/catalog/hotel-parts';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** What can be reported. */
export const reportKinds = [
  'day_close',
  'revenue',
  'occupancy',
  'arrivals_departures',
  'open_balances',
  'tax',
  'cash_drawer',
  'housekeeping',
  'audit_trail',
] as const;

/** A report is ready; its file and the hash of its bytes prove which one. */
export const ReportGenerated = defineEvent({
  subject: 'melmastoon.reporting.report.generated.v1',
  summary: 'a report was rendered',
  retention: 'warm',
  payload: z.strictObject({
    reportId: idText('rep'),
    kind: z.enum(reportKinds),
    /** Null: all houses of the tenant. */
    propertyId: idText('pro').nullable(),
    period: days,
    format: z.enum(['pdf', 'csv']),
    locale,
    fileId: idText('fil'),
    sha256,
    rows: count,
    /** Null: a schedule asked for it. */
    requestedBy: idText('usr').nullable(),
  }),
  aggregateId: p => p.reportId,
  idempotencyKey: p => `${p.reportId}:generated`,
});

/** All events of reporting-service. */
export const events = [ReportGenerated];
