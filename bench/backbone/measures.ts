import { Actor } from './actor-handle.ts';
import type { Contender, Place } from './contender.ts';
import type { ContenderName } from './contenders.ts';
import { onClient, PRODUCERS } from './ground.ts';
import { drainRate, judge, latency, type Rates, ratesOf, type Verdict, WARM_UP_SECONDS } from './judge.ts';
import { startStopwatch, untilCalm } from './processor-time.ts';
import type { Servers } from './servers.ts';

/** Percent of one core used while the writers ran: postgres, redis, writers, consumers. */
export type Load = Record<string, number>;

/** Percent of one core that other programs used meanwhile. */
export type Disturbance = { others: number };

/** Everything measured of one contender in one round. */
export type Round = {
  sustained: Rates & Verdict & { load: Load } & Disturbance;
  light: { p50: number; p99: number; events: number } & Verdict & Disturbance;
  fanOut: Rates & Verdict & Disturbance;
  drain: Record<'one' | 'five', { perSecond: number; events: number } & Verdict & Disturbance>;
  /** Writers with nothing else running, per second. */
  alone: { writes: number } & Disturbance;
};

/** More than this was no fair measure. */
export const DISTURBED = 25; // the kernel's own work for us is about 15

/** How one contender is measured. */
export type Setting = {
  name: ContenderName;
  contender: Contender;
  servers: Servers;
  seconds: number;
  oneProcess: boolean;
  say(line: string): void;
};

/** A place with both sides of a contender on it; `open` starts them. */
export type Stage = { place: Place; writers: Actor; consumers: Actor; open(): Promise<void> };

/** Events per second that leave everybody idle most of the time. */
export const LIGHT_PER_SECOND = 50;
/** How long to wait for other programs. */
export const CALM_MS = 15_000;
const LIGHT_SECONDS = 20; // a thousand events, so that ten of them are slower than the p99
/** So long nothing moves before what is missing is lost. */
export const QUIET_MS = 15_000; // longer than any lock or retry delay of a contender

/** All five measures of one contender, each on a database of its own. */
export async function measureRound(setting: Setting): Promise<Round> {
  const { seconds, say } = setting;
  const backlog = Math.min(100_000, Math.ceil(seconds) * 10_000);
  const sustained = await calmly(setting, () => writing(setting, 1));
  say(`${sustained.sustained.toFixed(0)} events/s end to end`);
  const light = await calmly(setting, () => lightLoad(setting));
  say(`${light.p50.toFixed(1)} ms p50, ${light.p99.toFixed(1)} ms p99 at ${LIGHT_PER_SECOND}/s`);
  const fanOut = await calmly(setting, () => writing(setting, 5));
  say(`${fanOut.alongside.toFixed(0)} deliveries/s to five while writing`);
  const one = await calmly(setting, () => draining(setting, 1, backlog));
  const five = await calmly(setting, () => draining(setting, 5, backlog / 5));
  say(`${one.perSecond.toFixed(0)} events/s drained, ${five.perSecond.toFixed(0)} deliveries/s by five`);
  const alone = await calmly(setting, () => writersAlone(setting));
  say(`${alone.writes.toFixed(0)} writes/s alone`);
  return { sustained, light, fanOut, drain: { one, five }, alone };
}

/** Waits for a calm machine, and measures once more when other programs got in between; the calmer one counts. */
async function calmly<T>(setting: Setting, measure: () => Promise<T>): Promise<T & Disturbance> {
  const once = async () => {
    await untilCalm(CALM_MS);
    const stopwatch = startStopwatch({ runner: process.pid, postgres: setting.servers.postgresPid });
    const value = await measure();
    return { ...value, others: stopwatch().rest };
  };
  const first = await once();
  if (first.others <= DISTURBED) return first;
  setting.say(`disturbed by other programs (${first.others} % of a core): once more`);
  const second = await once();
  return second.others < first.others ? second : first;
}

/** 16 producers and 1 or 5 consumers at full speed, then until the last effect. */
function writing(setting: Setting, groups: number): Promise<Rates & Verdict & { load: Load }> {
  return onStage(setting, { groups, alone: false }, async stage => {
    await stage.open();
    const stopwatch = startStopwatch(pidsOf(setting, stage));
    await write(setting, stage);
    const load = stopwatch().shares;
    return onClient(stage.place.url, async client => {
      const verdict = await judge(client, groups, limits(setting));
      return { ...(await ratesOf(client)), ...verdict, load };
    });
  });
}

/** A write every 20 ms: what a person waits for when nothing else is going on. */
function lightLoad(setting: Setting): Promise<Omit<Round['light'], 'others'>> {
  return onStage(setting, { groups: 1, alone: false }, async stage => {
    await stage.open();
    const seconds = WARM_UP_SECONDS + LIGHT_SECONDS;
    const limit = seconds * 1000 + 30_000;
    await stage.writers.ask({ do: 'pace', perSecond: LIGHT_PER_SECOND, seconds }, limit);
    return onClient(stage.place.url, async client => {
      const verdict = await judge(client, 1, limits(setting));
      return { ...(await latency(client)), ...verdict };
    });
  });
}

/** Consumers start on events that are all there already. */
function draining(
  setting: Setting,
  groups: number,
  events: number,
): Promise<Omit<Round['drain']['one'], 'others'>> {
  return onStage(setting, { groups, alone: false }, async stage => {
    await stage.writers.ask({ do: 'open-writer' });
    await stage.writers.ask({ do: 'fill', events }, 180_000);
    await onClient(setting.servers.adminUrl, client => client.query('checkpoint'));
    await onClient(stage.place.url, client => client.query('analyze'));
    await stage.consumers.ask({ do: 'open-consumers' });
    return onClient(stage.place.url, async client => {
      const verdict = await judge(client, groups, limits(setting));
      return { perSecond: await drainRate(client), events, ...verdict };
    });
  });
}

/** The writers' rate with relay and consumers off. */
function writersAlone(setting: Setting): Promise<{ writes: number }> {
  return onStage(setting, { groups: 1, alone: true }, async stage => {
    await stage.writers.ask({ do: 'open-writer' });
    await write(setting, stage);
    const { writes } = await onClient(stage.place.url, ratesOf);
    return { writes };
  });
}

async function write(setting: Setting, stage: Stage): Promise<void> {
  const seconds = WARM_UP_SECONDS + setting.seconds;
  await stage.writers.ask({ do: 'write', producers: PRODUCERS, seconds }, seconds * 1000 + 30_000);
}

function pidsOf({ servers, contender }: Setting, { writers, consumers }: Stage): Record<string, number> {
  return {
    postgres: servers.postgresPid,
    ...(contender.needsRedis && servers.redis !== undefined ? { redis: servers.redis.pid } : {}),
    writers: writers.pid,
    ...(consumers === writers ? {} : { consumers: consumers.pid }),
  };
}

function limits({ seconds }: Setting): { limitMs: number; quietMs: number } {
  return { limitMs: Math.max(12, 3 * seconds) * 1000, quietMs: QUIET_MS };
}

/** A database, an empty Redis and two processes (or one); all of it gone afterwards. */
export async function onStage<T>(
  setting: Setting,
  shape: Pick<Place, 'groups' | 'alone'>,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const { servers, name } = setting;
  const database = `bench_${name.replaceAll('-', '_')}`;
  const url = await servers.newDatabase(database);
  if (setting.contender.needsRedis) await servers.emptyRedis();
  const place: Place = { url, redisUrl: servers.redis?.url, ...shape };
  const actors: Actor[] = [];
  try {
    const writers = await Actor.start(name, place);
    actors.push(writers);
    await writers.ask({ do: 'prepare' });
    const consumers = setting.oneProcess || shape.alone ? writers : await Actor.start(name, place);
    if (consumers !== writers) actors.push(consumers);
    const open = async () => {
      await consumers.ask({ do: 'open-consumers' });
      await writers.ask({ do: 'open-writer' });
    };
    return await work({ place, writers, consumers, open });
  } finally {
    await Promise.all(actors.map(actor => actor.stop()));
    await servers.dropDatabase(database);
  }
}
