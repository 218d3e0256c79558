import type { SubscribeOptions, Unsubscribe } from '../port.ts';
import { type ConnectionOptions, RedisConnection } from './redis-connection.ts';
import { Subscribers } from './subscribers.ts';

/** The listening side of the bus. It has a connection of its own, since a subscribed one takes no other commands. */
export class RedisBus {
  readonly #options: ConnectionOptions;
  readonly #subscribers: Subscribers;
  #connection: Promise<RedisConnection> | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#subscribers = new Subscribers(options.log);
  }

  async subscribe(
    channel: string,
    onMessage: (message: string) => void,
    options: SubscribeOptions,
  ): Promise<Unsubscribe> {
    const connection = await this.#connected();
    const stop = this.#subscribers.add(channel, { onMessage, onGap: options.onGap }, async () => {
      // If the line is down there is nothing to end: the channel is not subscribed again after reconnecting.
      if (connection.redis.status === 'ready')
        await connection.run('unsubscribe', redis => redis.unsubscribe(channel));
    });
    try {
      await connection.run('subscribe', redis => redis.subscribe(channel));
    } catch (error) {
      await stop();
      throw error;
    }
    return stop;
  }

  async close(): Promise<void> {
    this.#subscribers.clear();
    clearInterval(this.#heartbeat);
    (await this.#connection?.catch(() => undefined))?.close();
  }

  #connected(): Promise<RedisConnection> {
    this.#connection ??= this.#connect().catch(error => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #connect(): Promise<RedisConnection> {
    const connection = new RedisConnection(this.#options);
    connection.redis.on('message', (channel, message) => this.#subscribers.deliver(channel, message));
    await connection.open();
    connection.redis.on('ready', () => void this.#listenAgain(connection));
    this.#heartbeat = setInterval(
      () => void this.#beat(connection),
      this.#options.heartbeatMs ?? 10_000,
    ).unref();
    return connection;
  }

  /** A listener sends nothing, so it would not notice a line that died without a word. */
  async #beat(connection: RedisConnection): Promise<void> {
    if (connection.redis.status !== 'ready') return;
    await connection.run('ping', redis => redis.ping()).catch(() => connection.redis.disconnect(true));
  }

  /** After a reconnect: first listen again, then tell everyone that something may have been missed in between. */
  async #listenAgain(connection: RedisConnection): Promise<void> {
    const { channels } = this.#subscribers;
    try {
      if (channels.length > 0) await connection.run('subscribe', redis => redis.subscribe(...channels));
      this.#subscribers.tellGap();
    } catch (error) {
      this.#options.log?.warn(
        { err: error, channels: channels.length },
        'could not subscribe again; reconnecting',
      );
      connection.redis.disconnect(true);
    }
  }
}
