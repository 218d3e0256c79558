import { openClient } from '@ghasi/db/database';
import { isTenantId } from '@ghasi/domain-primitives/ids';
import type { Logger } from '@ghasi/telemetry/logger';
import type { Client } from 'pg';

/** What one process tells the others: rows (of this tenant) wait in an outbox, rows are in the log, a parked key may go on. */
export type Wake =
  | { readonly kind: 'outbox'; readonly schema: string; readonly tenantId?: string }
  | { readonly kind: 'log' | 'parked' };

/** A line to the other processes on the same database. */
export type WakeUps = {
  /** Tells the others, at most a hundred times a second: what is said in between goes out together. Never inside a business transaction. */
  tell(wake: Wake): void;
  /** A notification from this process, for a transaction that sends it itself. */
  payload(wake: Wake): string;
  /** False while notifications do not arrive (a transaction-mode pooler, a lost connection): poll faster then. */
  readonly hears: boolean;
  stop(): Promise<void>;
};

/** The channel of all wake-ups. */
export const CHANNEL = 'melm_wake';
const COALESCE_MS = 10;
const MOST_PENDING = 60; // a notification has at most 8,000 bytes; past this, tenants are not named
const RECONNECT_MS = 1_000;
const DEAF_AFTER_MS = 2_000;

/**
 * Opens the line. Measured: NOTIFY in each writing transaction cuts writers to a third, so it is sent from a
 * connection of its own, at most a hundred times a second. A notification to itself shows whether LISTEN works here.
 */
export function openWakeUps(options: {
  url: string;
  log: Logger | undefined;
  onWake(wake: Wake): void;
}): WakeUps {
  const self = Math.random().toString(36).slice(2, 10);
  const pending = new Set<string>();
  let client: Client | undefined;
  let hears = false;
  let sending = false;
  let stopped = false;
  let lastFlush = Number.NEGATIVE_INFINITY;
  let flushTimer: NodeJS.Timeout | undefined;
  let retryTimer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    let opened: Client | undefined;
    try {
      opened = await openClient(options.url, 'melm-wake');
      if (stopped) return void (await opened.end());
      const mine = opened;
      opened.on('end', () => lost(mine));
      opened.on('error', () => lost(mine));
      opened.on('notification', ({ payload }) => heard(payload ?? ''));
      await opened.query(`listen ${CHANNEL}`);
      await opened.query('select pg_notify($1, $2)', [CHANNEL, `${self} hello`]);
      if (stopped) return void (await opened.end());
      client = opened;
      if (pending.size > 0) flush();
      const deaf = setTimeout(() => {
        if (!hears) options.log?.warn('notifications do not arrive (a pooler?); polling instead');
      }, DEAF_AFTER_MS);
      deaf.unref();
    } catch (error) {
      options.log?.debug({ err: error }, 'no connection for wake-ups yet');
      void opened?.end().catch(() => {}); // it may live, and not be allowed to listen
      lost(client);
    }
  };

  const lost = (which: Client | undefined): void => {
    if (stopped || (client !== undefined && which !== client)) return;
    client = undefined;
    hears = false;
    clearTimeout(retryTimer);
    retryTimer = setTimeout(() => void connect(), RECONNECT_MS);
  };

  const heard = (payload: string): void => {
    const [from, ...wakes] = payload.split(' ');
    if (from === self) {
      hears = true;
      return; // this process told itself in memory already
    }
    for (const text of wakes) {
      const wake = parseWake(text);
      if (wake !== undefined) options.onWake(wake);
    }
  };

  // The first word leaves at once; those within 10 ms after it together.
  const flushSoon = (): void => {
    flushTimer ??= setTimeout(flush, Math.max(0, lastFlush + COALESCE_MS - performance.now()));
  };

  const flush = (): void => {
    flushTimer = undefined;
    if (client === undefined || sending || pending.size === 0) return;
    const payload = [self, ...pending].join(' ');
    pending.clear();
    lastFlush = performance.now();
    sending = true;
    client
      .query('select pg_notify($1, $2)', [CHANNEL, payload])
      .catch(() => {})
      .finally(() => {
        sending = false;
        if (pending.size > 0) flushSoon();
      });
  };

  void connect();
  return {
    tell(wake) {
      pending.add(pending.size < MOST_PENDING ? wordOf(wake) : wordOf({ ...wake, tenantId: '' } as Wake));
      flushSoon();
    },
    payload: wake => `${self} ${wordOf(wake)}`,
    get hears() {
      return hears;
    },
    async stop() {
      stopped = true;
      clearTimeout(flushTimer);
      clearTimeout(retryTimer);
      await client?.end().catch(() => {});
    },
  };
}

function wordOf(wake: Wake): string {
  return wake.kind === 'outbox' ? `outbox:${wake.schema}:${wake.tenantId ?? ''}` : wake.kind;
}

function parseWake(text: string): Wake | undefined {
  if (text === 'log' || text === 'parked') return { kind: text };
  const [kind, schema, tenantId] = text.split(':');
  if (kind !== 'outbox' || schema === undefined) return undefined;
  if (!tenantId) return { kind, schema };
  return isTenantId(tenantId) ? { kind, schema, tenantId } : undefined;
}
