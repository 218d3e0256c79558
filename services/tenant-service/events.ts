import { defineEvent } from '@melmastoon/catalog/define-event';
import { idText, tenantIdText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { settingsValues, slugText } from './contract/resources.ts';
import { planClasses, propertyScope, regions, roles, suspensionReasons } from './contract.ts';

const tenantName = z.string().min(1).max(120);

/** A tenant was onboarded, with everything others need to serve it from now on. */
export const TenantCreated = defineEvent({
  subject: 'melmastoon.tenant.tenant.created.v1',
  summary: 'a tenant was onboarded',
  retention: 'warm',
  payload: z.strictObject({
    tenantId: tenantIdText,
    name: tenantName,
    slug: slugText,
    ownerId: idText('usr'),
    rooms: z.int().min(0),
    planClass: z.enum(planClasses),
    region: z.enum(regions),
    settings: settingsValues,
  }),
  aggregateId: p => p.tenantId,
  idempotencyKey: p => `${p.tenantId}:created`,
});

/** A tenant was suspended: its booking site closes; `staffLockedOut` says whether its people may go on. */
export const TenantSuspended = defineEvent({
  subject: 'melmastoon.tenant.tenant.suspended.v1',
  summary: 'a tenant was suspended for plan limit, billing failure or compliance',
  retention: 'warm',
  payload: z
    .strictObject({
      tenantId: tenantIdText,
      reason: z.enum(suspensionReasons),
      /** Only a compliance case locks people out: there are guests in the beds. */
      staffLockedOut: z.boolean(),
    })
    .refine(p => p.staffLockedOut === (p.reason === 'compliance'), 'staff is locked out for compliance only'),
  aggregateId: p => p.tenantId,
  idempotencyKey: (p, { aggregateVersion }) => `${p.tenantId}:suspended:${aggregateVersion}`,
});

/** Somebody may do more than before: `granted` is new, `roles` is all he has now, in these properties. */
export const RoleGranted = defineEvent({
  subject: 'melmastoon.tenant.role.granted.v1',
  summary: 'a role was given to a membership',
  retention: 'warm',
  payload: z
    .strictObject({
      membershipId: idText('mbr'),
      operatorId: idText('usr'),
      granted: z.array(z.enum(roles)).min(1),
      roles: z.array(z.enum(roles)).min(1),
      propertyIds: propertyScope,
      /** Null: the platform or a seed, not a person of the tenant. */
      grantedBy: idText('usr').nullable(),
    })
    .refine(p => p.granted.every(role => p.roles.includes(role)), 'granted a role the membership lacks'),
  aggregateId: p => p.membershipId,
  idempotencyKey: (p, { aggregateVersion }) => `${p.membershipId}:granted:${aggregateVersion}`,
});

/** Everything `settings.changed` may name as changed. */
export const changeableSettings = [...settingsValues.keyof().options, 'name'] as const;

/** Name or settings changed; `settings` are all of them as they are now. */
export const SettingsChanged = defineEvent({
  subject: 'melmastoon.tenant.settings.changed.v1',
  summary: 'the configuration of a tenant changed',
  retention: 'warm',
  payload: z.strictObject({
    tenantId: tenantIdText,
    changed: z.array(z.enum(changeableSettings)).min(1),
    name: tenantName,
    /** Residency: fixed when the tenant is opened, here so that nobody has to look it up. */
    region: z.enum(regions),
    settings: settingsValues,
  }),
  aggregateId: p => p.tenantId,
  idempotencyKey: (p, { aggregateVersion }) => `${p.tenantId}:settings:${aggregateVersion}`,
});

/** All events of tenant-service. */
export const events = [TenantCreated, TenantSuspended, RoleGranted, SettingsChanged];
