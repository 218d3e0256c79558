import { defineEvent } from '@melmastoon/catalog/define-event';
import { count } from '@melmastoon/catalog/hotel-parts';
import { idText, instant } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/** Whether the desk hears from a device. */
export const deviceStatuses = ['online', 'offline'] as const;

/** What the app of a device runs on. */
export const appPlatforms = ['windows', 'macos', 'linux', 'android', 'ios', 'browser'] as const;

/** A device fell silent for five minutes; one event for each time it goes from online to offline. */
export const DeviceWentOffline = defineEvent({
  subject: 'melmastoon.bff_backoffice.device.went_offline.v1',
  summary: 'the sweep marked a device offline',
  retention: 'warm',
  payload: z
    .strictObject({
      // Our record of the device: iam-service counts the versions of the device itself.
      deviceSyncStatusId: idText('dsy'),
      deviceId: idText('dev'),
      propertyId: idText('pro').nullable(),
      /** Who worked on it last. */
      operatorId: idText('usr').nullable(),
      /** The last time it was heard; with the device it names the transition. */
      lastHeartbeatAt: instant,
      markedAt: instant,
      appVersion: z.string().min(1).max(32).nullable(),
      appPlatform: z.enum(appPlatforms).nullable(),
      /** Actions the device last said it still had to send; a hint (SYNC-18). */
      pendingActions: count,
    })
    .refine(
      ({ lastHeartbeatAt, markedAt }) => Date.parse(lastHeartbeatAt) < Date.parse(markedAt),
      'was heard after it was marked',
    ),
  aggregateId: p => p.deviceSyncStatusId,
  idempotencyKey: p => `${p.deviceId}:offline:${p.lastHeartbeatAt}`,
});

/** Every event of bff-backoffice-service. */
export const events = [DeviceWentOffline] as const;
