/** Where a measure runs: a PostgreSQL database of its own and, for those that need it, an emptied Redis. */
export type Place = {
  /** The administrator's address of the measure's own database. */
  url: string;
  redisUrl: string | undefined;
  /** How many consumers get every event: 1 or 5. They are numbered from 1. */
  groups: number;
  /** Writers are measured without anything else: a relay that lives in the writing process stays off. */
  alone: boolean;
};

/** What is written: an id (also the id of the business row) and about 1 KB of payload. */
export type BenchEvent = { id: string; body: { id: string; filler: string } };

/** The writing side, in a process of its own; 16 loops share it. */
export type Writer = {
  /** Business row and event; resolves when both are safe as far as the contender promises. */
  write(event: BenchEvent): Promise<unknown>;
  /** Events of a prepared backlog, as fast as the contender's own bulk door goes. Business rows are there already. */
  fill(events: readonly BenchEvent[]): Promise<unknown>;
  stop(): Promise<unknown>;
};

/** The receiving side, in a process of its own: every consumer, and whatever moves events to it. */
export type Consumers = { stop(): Promise<unknown> };

/**
 * One way of getting an event from a business transaction to a handler. The handler writes one row into `bench.effect`
 * per (consumer, event). How it does so exactly once is part of the contender.
 */
export type Contender = {
  title: string;
  /** Packages of bench/node_modules it stands for; the table prints their versions. */
  packages: readonly string[];
  /** False for our own: ratios are taken against the best peer. */
  peer: boolean;
  needsRedis: boolean;
  /** Whether business row and event commit together. False: a crash in between loses the event. */
  oneTransaction: boolean;
  /** How it becomes exactly once, and the settings chosen; printed below the table. */
  notes: readonly string[];
  /**
   * Called once per measure, before writers and consumers. Leaves behind what the judge reads: see `createGround`,
   * which is all that most need besides their own set-up.
   */
  prepare(place: Place): Promise<unknown>;
  writer(place: Place): Promise<Writer>;
  /** Resolves when everything listens. */
  consumers(place: Place): Promise<Consumers>;
};

/** Consumers of a place by number. */
export function groupsOf(place: Place): number[] {
  return Array.from({ length: place.groups }, (_, index) => index + 1);
}
