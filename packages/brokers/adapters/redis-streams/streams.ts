import { randomUUID } from 'node:crypto';
import { ReplyError } from 'ioredis';
import { BrokerForgot, type Outgoing, type Published } from '../../broker.ts';
import type { Connection } from './connection.ts';
import { eraScript, groupScript, publishScript, readScript, takeOverScript, trimScript } from './scripts.ts';
import {
  fromEntry,
  type RawEntry,
  SHARDS,
  type StreamMessage,
  shardOf,
  toArguments,
} from './stream-entry.ts';

/** Whose shard it is: the group, this process, and the fencing number under which it holds the shard. */
export type Reader = { readonly group: string; readonly consumer: string };
export type HeldShard = { readonly shard: number; readonly epoch: number };

/**
 * What a look at the streams gave. `at` is the server's time in microseconds; `isAll` if no stream has more and nothing
 * was lost: then everything published before was given to the group.
 */
export type Look = {
  readonly at: number;
  readonly entries: readonly Entry[];
  readonly isMore: boolean;
  readonly isAll: boolean;
};
export type Entry = { readonly shard: number; readonly raw: RawEntry };

/** The shard is somebody else's by now. */
export class ShardLost extends Error {}

/** The group is not there: Redis forgot it, or it was never made. */
export class GroupMissing extends Error {}

const MOST_PER_CALL = 256;
const MOST_BYTES_PER_CALL = 1_000_000;
const MOST_BYTES_AT_ONCE = 8 * 1_048_576; // a stream may give up to as much more, by which it is noticed
const SHARD_NUMBERS = Array.from({ length: SHARDS }, (_, shard) => shard);
const DLQ_KEEP_MS = 14 * 86_400_000;
const CONSUMER_KEEP_MS = 3_600_000;
const UNREAD_KEEP_US = 7 * 86_400_000_000;

/** The 16 streams of a broker in one Redis, and what belongs to them. Knows keys and commands, no rules. */
export class Streams {
  readonly wakeChannel: string;
  readonly #connection: Connection;
  readonly #prefix: string;
  #era: string | undefined;

  constructor(connection: Connection, namespace: string) {
    this.#connection = connection;
    this.#prefix = `${namespace}:broker`;
    this.wakeChannel = `${this.#prefix}:wake`;
  }

  /**
   * Adds messages in their order, 256 or a megabyte at once. After a lot that failed, nothing more is added. Without
   * messages it only asks whether the era lasts.
   */
  async add(messages: readonly Outgoing[]): Promise<Published[]> {
    const published: Published[] = [];
    if (messages.length === 0) return this.#addLot([]);
    try {
      for (const lot of inLots(messages)) published.push(...(await this.#addLot(lot)));
    } catch (error) {
      if (published.length === 0 || error instanceof BrokerForgot) throw error;
      const refused = { ok: false, error: (error as Error).message } as const;
      for (let place = published.length; place < messages.length; place++) published.push(refused);
    }
    return published;
  }

  async #addLot(lot: readonly Outgoing[]): Promise<Published[]> {
    const keys = [this.#eraKey, `${this.#prefix}:last`, ...SHARD_NUMBERS.map(shard => this.#stream(shard))];
    const args = lot.flatMap(message => toArguments(message, shardOf(message.orderingKey) + 1));
    const answer = await this.#connection.run(publishScript, keys, [
      this.#era ?? '',
      this.wakeChannel,
      ...args,
    ]);
    if (answer === 'LOST') throw new BrokerForgot('Redis lost what it had accepted');
    return (answer as string[]).map(off => ({ ok: true, id: `${off}-0` }));
  }

  /** Joins the era that lasts: somebody else has begun it, and republished what was missing. False if there is none. */
  async joinEra(): Promise<boolean> {
    const era = (await this.#connection.run(eraScript, [this.#eraKey], [''])) as string | null;
    if (era !== null) this.#era = era;
    return era !== null;
  }

  /** Begins a new era with whatever this server remembers, or joins the one that lasts. */
  async beginEra(): Promise<void> {
    this.#era = (await this.#connection.run(eraScript, [this.#eraKey], [randomUUID()])) as string;
  }

  /** Something is missing: nobody may publish until it is on its way again. */
  async endEra(): Promise<void> {
    await this.#connection.redis.del(this.#eraKey);
  }

  /** Makes a group on every shard where there is none, after the newest entry or before the oldest; says on how many. */
  async makeGroup(group: string, from: 'end' | 'start'): Promise<number> {
    const position = from === 'end' ? '$' : '0';
    const streams = SHARD_NUMBERS.map(shard => this.#stream(shard));
    return (await this.#connection.run(groupScript, streams, [group, position])) as number;
  }

  /** New entries of some shards, a few megabytes at most: those that come first may leave nothing for the others. */
  async read(reader: Reader, held: readonly HeldShard[], most: number): Promise<Look> {
    const keys = [this.#eraKey, this.#fences, ...held.map(({ shard }) => this.#stream(shard))];
    const about = [reader.group, reader.consumer, most, MOST_BYTES_AT_ONCE];
    const args = [...about, ...held.flatMap(({ shard, epoch }) => [shard, epoch])];
    const answer = await this.#connection.run(readScript, keys, args).catch(orGroupMissing);
    const [at, lasts, more, found] = answer as [string, 0 | 1, 0 | 1, (RawEntry[] | 'FENCED')[]];
    if (found.includes('FENCED')) throw new ShardLost(`${reader.group} lost a shard`);
    const perShard = found as RawEntry[][];
    return {
      at: Number(at),
      entries: perShard.flatMap((entries, place) =>
        entries.map(raw => ({ shard: (held[place] as HeldShard).shard, raw })),
      ),
      isMore: more === 1,
      isAll: more === 0 && lasts === 1,
    };
  }

  /** Everything of a shard that its group was given and has not acknowledged, oldest first, now this process's, in pages. */
  async *takeOver(reader: Reader, { shard, epoch }: HeldShard): AsyncGenerator<Entry[]> {
    const keys = [this.#fences, this.#stream(shard)];
    const about = [reader.group, reader.consumer, shard, epoch];
    for (let from = '0-0'; ; ) {
      const args = [...about, from, 500, MOST_BYTES_AT_ONCE];
      const answer = await this.#connection.run(takeOverScript, keys, args).catch(orGroupMissing);
      if (answer === 'FENCED') throw new ShardLost(`${reader.group} lost shard ${shard}`);
      const [next, found] = answer as [string, RawEntry[]];
      yield found.map(raw => ({ shard, raw }));
      if (next === '0-0') return;
      from = next;
    }
  }

  async acknowledge(group: string, shard: number, ids: readonly string[]): Promise<void> {
    await this.#connection.redis.xack(this.#stream(shard), group, ...ids);
  }

  /** Entries by their numbers; undefined where there is none any more. */
  async fetch(items: readonly { shard: number; off: number }[]): Promise<(StreamMessage | undefined)[]> {
    return Promise.all(
      items.map(async ({ shard, off }) => {
        const [entry] = await this.#connection.redis.xrange(this.#stream(shard), `${off}-0`, `${off}-0`);
        return entry === undefined ? undefined : fromEntry(entry, shard);
      }),
    );
  }

  /** Puts a record on the stream of `<topic>.dlq`, which keeps 14 days (DLQ-09, DLQ-11). */
  async addDeadLetter(topic: string, fields: readonly string[]): Promise<void> {
    const oldest = String(Date.now() - DLQ_KEEP_MS);
    await this.#connection.redis.xadd(this.#deadLetters(topic), 'MINID', '~', oldest, '*', ...fields);
  }

  /** The records on the stream of `<topic>.dlq`. */
  async deadLetters(topic: string): Promise<Record<string, string>[]> {
    const found = await this.#connection.redis.xrange(this.#deadLetters(topic), '-', '+');
    return found.map(([, fields]) =>
      Object.fromEntries(
        fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1] as string]] : [])),
      ),
    );
  }

  /** Drops what every group has acknowledged. Returns how many entries. */
  async trim(): Promise<number> {
    const trimmed = await Promise.all(
      SHARD_NUMBERS.map(shard =>
        this.#connection
          .run(trimScript, [this.#stream(shard)], [UNREAD_KEEP_US, CONSUMER_KEEP_MS])
          .catch(error => {
            if (isReply(error, 'no such key')) return 0; // nothing was ever published or consumed here
            throw error;
          }),
      ),
    );
    return trimmed.reduce<number>((sum, count) => sum + Number(count), 0);
  }

  /** Entries that a group has not acknowledged, given to somebody or not. */
  async unread(group: string): Promise<number> {
    const counts = await Promise.all(
      SHARD_NUMBERS.map(async shard => {
        const groups = (await this.#connection.redis.xinfo('GROUPS', this.#stream(shard))) as unknown[][];
        const facts = groups.map(toFacts).find(({ name }) => name === group);
        if (facts === undefined) return 0;
        // Redis does not always know how far behind a group is; then all there is may be ahead of it.
        const ahead = facts.lag ?? (await this.#connection.redis.xlen(this.#stream(shard)));
        return Number(facts.pending) + Number(ahead);
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  #stream(shard: number): string {
    return `${this.#prefix}:shard:${shard}`;
  }

  #deadLetters(topic: string): string {
    return `${this.#prefix}:${topic}.dlq`;
  }

  get #eraKey(): string {
    return `${this.#prefix}:era`;
  }

  get #fences(): string {
    return `${this.#prefix}:fences`;
  }
}

function inLots(messages: readonly Outgoing[]): Outgoing[][] {
  const lots: Outgoing[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const lot = lots.at(-1);
    bytes += message.envelope.length;
    if (lot !== undefined && lot.length < MOST_PER_CALL && bytes <= MOST_BYTES_PER_CALL) lot.push(message);
    else {
      lots.push([message]);
      bytes = message.envelope.length;
    }
  }
  return lots;
}

function toFacts(flat: unknown[]): Record<string, unknown> {
  return Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]]] : [])));
}

function orGroupMissing(error: unknown): never {
  if (isReply(error, 'NOGROUP')) throw new GroupMissing((error as Error).message);
  throw error;
}

/** Inside a script the code comes after the script's own words. */
function isReply(error: unknown, code: string): boolean {
  return error instanceof ReplyError && (error as Error).message.includes(code);
}
