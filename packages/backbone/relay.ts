import { repeat } from '@ghasi/brokers/repeat';
import type { Database } from '@ghasi/db/database';
import type { Logger } from '@ghasi/telemetry/logger';
import { escapeIdentifier } from 'pg';
import { FULL_LOOK_MS, Mover } from './mover.ts';
import type { PublishObserver } from './observe-published.ts';
import { OutboxLine } from './outbox-line.ts';

/** Moves outboxes to the log, as soon as somebody says that there is something. */
export type Relay = {
  /** Rows wait in this outbox, of this tenant if known. Cheap: calls while a pass runs become one more pass. */
  nudge(schema: string, tenantId?: string): void;
  /** Looks at every outbox at once. */
  poll(): Promise<void>;
  /** How far it has looked into an outbox, and which numbers below may still appear (an int8multirange). */
  seen(schema: string): { readonly after: number; readonly holes: string };
  stop(): Promise<void>;
};

/** How to run a relay. */
export type RelayOptions = {
  /** Signed in as `relay`. */
  readonly db: Database;
  readonly schemas: readonly string[];
  readonly log: Logger | undefined;
  /** How often to look without being nudged. Default 1 s. */
  readonly pollMs?: number;
  /** How often to look for rows that nobody expects, such as those with numbers that were used before a failover. Default 1 min. */
  readonly lookMs?: number;
  /** Hears what is published from an outbox. */
  readonly observe?: (schema: string) => PublishObserver;
  /** What the other processes are told once rows are in the log. */
  readonly wake?: string;
  /** Rows of this outbox are in the log now. */
  readonly onMoved: () => void;
};

/** Starts the relay of some outboxes. Any number of them may run, in any number of processes. */
export function startRelay(options: RelayOptions): Relay {
  const { lookMs = FULL_LOOK_MS } = options;
  const all = options.schemas.map(
    schema =>
      new Mover(options.db, schema, { observer: options.observe?.(schema), wake: options.wake, lookMs }),
  );
  const lines = new Map(
    all.map(mover => [
      mover.schema,
      new OutboxLine(mover, {
        onMoved: options.onMoved,
        onError: error =>
          options.log?.warn(
            { err: error, schema: mover.schema },
            'an outbox could not be moved; trying again',
          ),
      }),
    ]),
  );
  const nudge: Relay['nudge'] = (schema, tenantId) => lines.get(schema)?.nudge(tenantId);
  let lastLook = performance.now();

  // One statement for all outboxes. Above what the mover has seen: below are rows long moved, which an old snapshot may
  // keep. By number, because "exists" alone is planned as a walk over the table: 24 ms after 60,000 events (measured).
  const waiting = all
    .map(
      ({ schema }, index) =>
        `select ${index} as i
         where (select seq from ${escapeIdentifier(schema)}.outbox where seq > $${index + 1} order by seq limit 1) is not null`,
    )
    .join(' union all ');

  const poll = async (): Promise<void> => {
    if (all.length === 0) return;
    const { rows } = await options.db.pool.query<{ i: number }>(
      waiting,
      all.map(({ seen }) => seen),
    );
    for (const { i } of rows) nudge((all[i] as Mover).schema);
    // What is below and nobody knows of is found by a pass: also an outbox that seems to rest has one now and then.
    const isTime = performance.now() - lastLook > lookMs;
    if (isTime) lastLook = performance.now();
    for (const mover of all) if (isTime || mover.hasHoles) nudge(mover.schema);
  };

  const polls = repeat(options.pollMs ?? 1_000, poll, error =>
    options.log?.warn({ err: error }, 'the outboxes could not be looked at; trying again'),
  );
  for (const schema of options.schemas) nudge(schema);

  return {
    nudge,
    poll,
    seen(schema) {
      const mover = all.find(one => one.schema === schema);
      return { after: mover?.seen ?? 0, holes: `${mover?.holes ?? '{}'}` };
    },
    async stop() {
      await polls.stop();
      await Promise.all([...lines.values()].map(line => line.stop()));
    },
  };
}
