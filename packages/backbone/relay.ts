import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@ghasi/db/database';
import type { Logger } from '@ghasi/telemetry/logger';
import { escapeIdentifier } from 'pg';
import { MOST, Mover } from './mover.ts';
import type { PublishObserver } from './observe-published.ts';

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
  /** Hears what is published from an outbox. */
  readonly observe?: (schema: string) => PublishObserver;
  /** What the other processes are told once rows are in the log. */
  readonly wake?: string;
  /** Rows of this outbox are in the log now. */
  onMoved(): void;
};

// A pass costs the server 1.4 ms plus 0.02 ms a row. So it rests after one, the longer the more it moved: a single event
// goes out at once, and a thousand a second leave in forty passes instead of two hundred (docs/decisions/0012).
const LONGEST_REST_MS = 25;
const MOST_TENANTS = 50;
const BUSY_REST_MS = 5;
const OTHERS_MS = 1_000;

/** Starts the relay of some outboxes. Any number of them may run, in any number of processes. */
export function startRelay(options: RelayOptions): Relay {
  const movers = new Map(
    options.schemas.map(schema => [
      schema,
      new Mover(options.db, schema, options.observe?.(schema), options.wake),
    ]),
  );
  const running = new Map<string, Promise<void>>();
  /** Outboxes in which rows wait, and whose. */
  const wanted = new Map<string, Set<string>>();
  /** Outboxes with more than one pass can take. */
  const behind = new Set<string>();
  let stopped = false;
  let timer: NodeJS.Timeout;

  const drain = async (mover: Mover): Promise<void> => {
    const { schema } = mover;
    // While somebody floods, whoever else said something does not wait behind him.
    let othersSeen = Number.NEGATIVE_INFINITY;
    const letPass = async (tenants: ReadonlySet<string>): Promise<void> => {
      if (tenants.size === 0 || (await mover.passOf([...tenants].slice(0, MOST_TENANTS))) === 0) return;
      othersSeen = performance.now();
      options.onMoved();
    };
    try {
      for (
        let tenants = wanted.get(schema);
        tenants !== undefined && !stopped;
        tenants = wanted.get(schema)
      ) {
        wanted.delete(schema);
        const wasBehind = behind.has(schema);
        if (wasBehind) await letPass(tenants);
        const began = performance.now();
        const count = wasBehind ? await mover.passUnlessBusy() : await mover.pass();
        if (count === undefined) {
          ask(schema);
          await delay(BUSY_REST_MS);
          continue;
        }
        if (count > 0) options.onMoved();
        if (count < MOST) {
          behind.delete(schema);
          if (count > 1) await delay(Math.min(count, LONGEST_REST_MS));
        } else {
          behind.add(schema);
          if (!wasBehind) await letPass(tenants);
          ask(schema);
          // With others around, the flood leaves them half of the time.
          if (began - othersSeen < OTHERS_MS) await delay(performance.now() - began);
        }
      }
    } catch (error) {
      options.log?.warn({ err: error, schema }, 'an outbox could not be moved; trying again');
    }
  };

  const ask = (schema: string, tenantId?: string): void => {
    const tenants = wanted.get(schema) ?? new Set();
    if (tenantId !== undefined) tenants.add(tenantId);
    wanted.set(schema, tenants);
  };

  const nudge: Relay['nudge'] = (schema, tenantId) => {
    const mover = movers.get(schema);
    if (mover === undefined || stopped) return;
    ask(schema, tenantId);
    if (running.has(schema)) return;
    const pass = drain(mover).finally(() => {
      running.delete(schema);
    });
    running.set(schema, pass);
  };

  // One statement for all outboxes. Above what the mover has seen: below are rows long moved, which an old snapshot may
  // keep in the index.
  const all = [...movers.values()];
  const waiting = all
    .map(
      ({ schema }, index) =>
        `select ${index} as i where exists (select from ${escapeIdentifier(schema)}.outbox where seq > $${index + 1})`,
    )
    .join(' union all ');

  const poll = async (): Promise<void> => {
    if (all.length === 0) return;
    const { rows } = await options.db.pool.query<{ i: number }>(
      waiting,
      all.map(({ seen }) => seen),
    );
    for (const { i } of rows) nudge((all[i] as Mover).schema);
    for (const mover of all) if (mover.hasHoles) nudge(mover.schema);
  };

  const tick = (): void => {
    timer = setTimeout(() => {
      poll()
        .catch(error =>
          options.log?.warn({ err: error }, 'the outboxes could not be looked at; trying again'),
        )
        .finally(() => {
          if (!stopped) tick();
        });
    }, options.pollMs ?? 1_000);
  };
  for (const schema of options.schemas) nudge(schema);
  tick();

  return {
    nudge,
    poll,
    seen(schema) {
      const mover = movers.get(schema);
      return { after: mover?.seen ?? 0, holes: `${mover?.holes ?? '{}'}` };
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await Promise.allSettled(running.values());
    },
  };
}
