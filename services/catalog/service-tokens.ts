/** Token of a service in a subject → its directory (CAT-12..33, X-006). A table, because no rule gives all of them. */
export const serviceTokens = {
  iam: 'iam-service',
  tenant: 'tenant-service',
  property: 'property-service',
  reservation: 'reservation-service',
  inventory: 'inventory-service',
  pricing: 'pricing-service',
  housekeeping: 'housekeeping-service',
  maintenance: 'maintenance-service',
  billing: 'billing-service',
  payment: 'payment-gateway-service',
  notification: 'notification-service',
  theme: 'theme-config-service',
  lock_integration: 'lock-integration-service',
  search_aggregation: 'search-aggregation-service',
  ai_orchestrator: 'ai-orchestrator-service',
  file: 'file-storage-service',
  reporting: 'reporting-service',
  analytics: 'analytics-service',
  audit: 'audit-service',
  sync: 'sync-service',
  staff: 'staff-service',
  bff_tenant_booking: 'bff-tenant-booking-service',
  bff_backoffice: 'bff-backoffice-service',
  bff_consumer: 'bff-consumer-service',
} as const;

/** The service segment of a subject. */
export type ServiceToken = keyof typeof serviceTokens;
