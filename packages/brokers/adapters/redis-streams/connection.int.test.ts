import { randomUUID } from 'node:crypto';
import { describeWithRedis } from '@ghasi/testing/redis';
import { waitUntil } from '@ghasi/testing/signal';
import { targetOf, tcpProxy } from '@ghasi/testing/tcp-proxy';
import { expect, onTestFinished, test } from 'vitest';
import { newPlace } from '../../conformance-world.conformance.ts';
import { Connection } from './connection.ts';
import { publishScript } from './scripts.ts';
import { Streams } from './streams.ts';

describeWithRedis('the connection to Redis', url => {
  test('DLQ-39: a Redis that is gone without a word is asked over another line', async () => {
    let swallowed = 0;
    const judge = (chunk: Buffer) =>
      chunk.includes(publishScript.sha) && swallowed++ === 0 ? 'swallow' : 'pass';
    const proxy = await tcpProxy({ target: targetOf(url), judge });
    onTestFinished(() => proxy.close());
    const connection = new Connection({ url: proxy.through(url), log: undefined, commandTimeoutMs: 1_000 });
    onTestFinished(() => connection.close());
    await connection.open();
    const streams = new Streams(connection, `test-${randomUUID()}`);
    await streams.beginEra();
    const { message } = newPlace();
    await expect(streams.add([message('a', 1)])).rejects.toThrow('Command timed out');
    const isTaken = async () => (await streams.add([message('a', 1)]))[0]?.ok;
    await waitUntil('it is taken', () => isTaken().catch(() => false));
  });
});
