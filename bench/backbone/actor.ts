import { setTimeout as delay } from 'node:timers/promises';
import { uuid7 } from '@ghasi/domain-primitives/uuid';
import type { Command, Reply, Request } from './actor-handle.ts';
import type { BenchEvent, Consumers, Place, Writer } from './contender.ts';
import { type ContenderName, loadContender } from './contenders.ts';
import { onClient } from './ground.ts';

const FILLER = 'x'.repeat(950); // with the id and the names around it, the JSON has 1 KB
const CHUNK = 1_000;

/** The process in which one side of a contender lives; the runner tells it what to do over IPC. */
const { name, place } = JSON.parse(process.argv[2] ?? '{}') as { name: ContenderName; place: Place };
const contender = await loadContender(name);
let writer: Writer | undefined;
let consumers: Consumers | undefined;

process.on('disconnect', () => process.exit()); // the runner is gone
process.on('message', ({ id, command }: Request) => {
  const answer = (reply: Omit<Reply, 'id'>) => process.send?.({ id, ...reply });
  obey(command).then(
    value => answer({ value }),
    (error: Error) => answer({ error: error.stack ?? String(error) }),
  );
});
process.send?.({ id: 0 });

async function obey(command: Command): Promise<unknown> {
  switch (command.do) {
    case 'prepare':
      return void (await contender.prepare(place));
    case 'open-writer':
      writer = await contender.writer(place);
      return undefined;
    case 'open-consumers':
      consumers = await contender.consumers(place);
      return undefined;
    case 'write':
      return void (await write(command.producers, command.seconds));
    case 'pace':
      return void (await pace(command.perSecond, command.seconds));
    case 'fill':
      return void (await fill(command.events));
    case 'close':
      return void (await Promise.all([writer?.stop(), consumers?.stop()]));
  }
}

/** Loops of awaited writes, as fast as each goes. */
async function write(producers: number, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  const producer = async () => {
    while (performance.now() < end) await writer?.write(newEvent());
  };
  await Promise.all(Array.from({ length: producers }, producer));
}

/** Writes at fixed times, whatever the earlier ones take. */
async function pace(perSecond: number, seconds: number): Promise<void> {
  const start = performance.now();
  const writes: Array<Promise<unknown> | undefined> = [];
  for (let count = 0; count < perSecond * seconds; count++) {
    const wait = start + (count * 1000) / perSecond - performance.now();
    if (wait > 0) await delay(wait);
    writes.push(writer?.write(newEvent()));
  }
  await Promise.all(writes);
}

async function fill(count: number): Promise<void> {
  await onClient(place.url, async client => {
    for (let done = 0; done < count; done += CHUNK) {
      const events = Array.from({ length: Math.min(CHUNK, count - done) }, newEvent);
      await client.query("insert into bench.booking (id, guest) select unnest($1::uuid[]), 'guest'", [
        events.map(event => event.id),
      ]);
      await writer?.fill(events);
    }
  });
}

function newEvent(): BenchEvent {
  const id = uuid7();
  return { id, body: { id, filler: FILLER } };
}
