import type { Metrics } from '@ghasi/telemetry/metrics';
import type { TenantIdClass } from '@ghasi/telemetry/tenant-class';
import { isTracing } from '@ghasi/telemetry/tracing';
import { rememberTenantClass, type TenantClassOf } from './observe-tenant-class.ts';
import { type PublishedEvent, recordOutboxWait } from './observe-trace.ts';

/** Events of one topic and tenant that were published at once; `waitSeconds` is their mean time in the outbox. */
export type PublishedGroup = {
  readonly topic: string;
  readonly tenantId: string;
  readonly count: number;
  readonly waitSeconds: number;
};

/** What one pass of the relay published; the single events only while somebody traces. */
export type Publication = {
  readonly groups: readonly PublishedGroup[];
  readonly events: readonly PublishedEvent[];
};

/** Who hears what the relay of one service published, or put aside. */
export type PublishObserver = {
  /** True while the single events are wanted too. */
  readonly wantsEvents: boolean;
  published(publication: Publication): void;
  quarantined(topic: string): void;
};

/** Counts what services publish (OBS-05, OBS-15, OBS-26) and records how long it waited, for each service of a process. */
export function observePublished(options: {
  readonly metrics: Metrics | undefined;
  readonly tenantClassOf?: TenantClassOf | undefined;
}): (service: string) => PublishObserver {
  const { metrics } = options;
  const classOf = rememberTenantClass(options.tenantClassOf);

  return service => {
    const count = ({ topic, count: by }: PublishedGroup, tenant_id_class: TenantIdClass) =>
      metrics?.inc('melmastoon_events_published_total', { service, topic, tenant_id_class }, by);
    return {
      get wantsEvents() {
        return isTracing();
      },
      published({ groups, events }) {
        for (const event of events) recordOutboxWait(event);
        if (metrics === undefined) return;
        for (const group of groups) {
          const { topic, waitSeconds, count: times } = group;
          const value = Math.max(0, waitSeconds); // a server's clock may go back
          metrics.observe('melmastoon_event_publish_duration_seconds', { service, topic }, { value, times });
          const found = classOf(group.tenantId);
          if (typeof found === 'string') count(group, found);
          else void found.then(one => count(group, one));
        }
      },
      quarantined(topic) {
        metrics?.inc('melmastoon_outbox_quarantined_total', { service, topic });
      },
    };
  };
}
