import { eventCatalogue } from '@ghasi/event-envelope/catalogue';
import { platformSubjects } from './platform-subjects.ts';
import { serviceTokens } from './service-tokens.ts';

/** The platform's event rules: its prefix, its services and its exceptions. */
export const catalogue = eventCatalogue({
  prefix: 'melmastoon',
  services: serviceTokens,
  servicesIn: 'services/catalog/service-tokens.ts',
  // Published with four segments before the grammar was fixed. Closed for ever: a third one fails CI.
  legacySubjects: { 'melmastoon.file.uploaded.v1': 'object', 'melmastoon.file.scanned.v1': 'object' },
  verbs: ['error', 'no_show'],
  crossTenant: ['analytics', 'search_aggregation'],
  platformSubjects,
  aiProvenance: ['ai_orchestrator'],
});
