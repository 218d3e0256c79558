import { readFileSync } from 'node:fs';
import { crossTenantPolicy } from '@ghasi/backbone/cross-tenant-policy';
import type { Service } from '@ghasi/backbone/define-service';
import { backboneMigrations } from '@ghasi/backbone/migrations';
import type { Ask } from '@ghasi/backbone/question';
import { createRegistry, type Registry, type ReleasedHashes } from '@ghasi/backbone/registry';
import { brokerMigrations } from '@ghasi/brokers/migrations';
import type { MigrationSet } from '@ghasi/db/migrate';
import { seconds } from '@ghasi/domain-primitives/duration';
import { hotMigrations } from '@ghasi/hot/cache-metadata';
import { jobsMigrations } from '@ghasi/jobs/migrations';
import { service as aiOrchestrator } from '@melmastoon/ai-orchestrator-service/service';
import { createAnalyticsService } from '@melmastoon/analytics-service/service';
import { createAuditService } from '@melmastoon/audit-service/service';
import { service as bffBackoffice } from '@melmastoon/bff-backoffice-service/service';
import { service as bffConsumer } from '@melmastoon/bff-consumer-service/service';
import { createTenantBookingService } from '@melmastoon/bff-tenant-booking-service/service';
import { createBillingService } from '@melmastoon/billing-service/service';
import { crossTenantPaths } from '@melmastoon/catalog/cross-tenant-paths';
import { service as fileStorage } from '@melmastoon/file-storage-service/service';
import { createHousekeepingService } from '@melmastoon/housekeeping-service/service';
import { createIamService } from '@melmastoon/iam-service/service';
import { assignedTo } from '@melmastoon/inventory-service/contract/questions';
import { service as inventory } from '@melmastoon/inventory-service/service';
import { createLockIntegrationService } from '@melmastoon/lock-integration-service/service';
import { createMaintenanceService } from '@melmastoon/maintenance-service/service';
import { createNotificationService } from '@melmastoon/notification-service/service';
import { createPaymentGatewayService } from '@melmastoon/payment-gateway-service/service';
import { service as pricing } from '@melmastoon/pricing-service/service';
import { createPropertyService } from '@melmastoon/property-service/service';
import { service as reporting } from '@melmastoon/reporting-service/service';
import { dayStatus } from '@melmastoon/reservation-service/contract/questions';
import { createReservationService } from '@melmastoon/reservation-service/service';
import { createSearchAggregationService } from '@melmastoon/search-aggregation-service/service';
import { service as staff } from '@melmastoon/staff-service/service';
import { service as sync } from '@melmastoon/sync-service/service';
import { service as tenant } from '@melmastoon/tenant-service/service';
import { service as themeConfig } from '@melmastoon/theme-config-service/service';
import { type BookingDoor, bookingDoor } from './booking.ts';
import { noProviders, type OpenProviders } from './providers.ts';

/** What the services need from the installation they run in. */
export type Installation = {
  secret: string;
  publicUrl: string;
  ask: Ask;
  /** How long a guest has to pay; default 600. */
  holdSeconds?: number;
  /** Of the booking sites; default one without a hot store, to look at only. */
  booking?: BookingDoor;
  /** Vendors it works with; default none. */
  providers?: OpenProviders;
};

/** All services of the platform, in the order their schemas are made. */
export function allServices(installation: Installation): Service[] {
  const { secret, ask, holdSeconds = 600, providers = noProviders } = installation;
  const { origin: publicUrl, hostname } = new URL(installation.publicUrl);
  const services = [
    tenant,
    createIamService({ ask, secrets: [secret], issuer: publicUrl, rpId: hostname, origins: [publicUrl] }),
    createPropertyService({ ask, dayChecks: [dayStatus], roomChecks: [assignedTo] }),
    createReservationService({ ask, holdMs: seconds(holdSeconds) }),
    inventory,
    pricing,
    createHousekeepingService({ ask }),
    createMaintenanceService({ ask }),
    createBillingService({ ask }),
    createPaymentGatewayService({ publicUrl, gateways: providers.gateways }),
    createNotificationService({ ask, secret, publicUrl, channels: providers.channels }),
    themeConfig,
    createLockIntegrationService({
      ask,
      secret,
      vendors: providers.locks,
      secondFactor: providers.secondFactor ?? true,
    }),
    createSearchAggregationService({ ask }),
    aiOrchestrator,
    fileStorage,
    reporting,
    createAnalyticsService(),
    sync,
    staff,
    createTenantBookingService((installation.booking ?? bookingDoor(installation)).booking),
    bffBackoffice,
    bffConsumer,
  ];
  // It hears of everything, so it comes last.
  return [...services, createAuditService({ events: services.flatMap(({ publishes }) => publishes) })];
}

/** Every schema of the platform, for the migrator and the doctor. */
export function migrationSets(services: readonly Service[]): MigrationSet[] {
  return [
    jobsMigrations,
    hotMigrations,
    backboneMigrations,
    brokerMigrations,
    ...services.map(({ schema, migrations }) => ({ schema, folder: migrations })),
  ];
}

/** Every event of the platform, also of services that run in other processes, and what was released before. */
export function platformRegistry(services: readonly Service[]): Registry {
  return createRegistry(
    services.flatMap(({ publishes }) => publishes),
    {
      released: JSON.parse(readFileSync(hashesFile, 'utf8')) as ReleasedHashes,
      crossTenant: crossTenantPolicy(crossTenantPaths),
    },
  );
}

/** Every schema an event ever had; `npm run generate` adds to it (REG-04). */
const hashesFile = new URL('../../event-schemas/hashes.json', import.meta.url);
