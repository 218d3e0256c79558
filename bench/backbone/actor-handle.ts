import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Place } from './contender.ts';

/** What an actor can be told to do. */
export type Command =
  | { do: 'prepare' | 'open-writer' | 'open-consumers' | 'close' }
  | { do: 'write'; producers: number; seconds: number }
  | { do: 'pace'; perSecond: number; seconds: number }
  | { do: 'fill'; events: number };

/** A command with the number its reply carries. */
export type Request = { id: number; command: Command };

/** The answer to a request; number 0 says that the actor is up. */
export type Reply = { id: number; value?: unknown; error?: string };

const CLOSE_MS = 5_000;
const running = new Set<ChildProcess>();

/** A process that plays the writers or the consumers of one contender. */
export class Actor {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;
  #complaints = '';

  private constructor(name: string, place: Place) {
    const file = fileURLToPath(new URL('./actor.ts', import.meta.url));
    this.#child = fork(file, [JSON.stringify({ name, place })], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    running.add(this.#child);
    this.#child.stderr?.setEncoding('utf8').on('data', text => {
      this.#complaints = (this.#complaints + text).slice(-1_500);
    });
    this.#child.on('message', (reply: Reply) => this.#settle(reply));
    this.#child.on('error', error => {
      this.#complaints += error.message; // a command to a process that just ended
    });
    this.#child.once('exit', code => {
      running.delete(this.#child);
      const error = `its process ended (${code}): ${this.#complaints.trim()}`;
      for (const id of this.#waiting.keys()) this.#settle({ id, error });
    });
  }

  /** Starts a process for a contender and waits until it takes commands. */
  static async start(name: string, place: Place): Promise<Actor> {
    const actor = new Actor(name, place);
    await actor.#expect(0, 20_000);
    return actor;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Sends a command and waits for its end, at most `limitMs`. */
  async ask<T = void>(command: Command, limitMs = 60_000): Promise<T> {
    const id = ++this.#last;
    const answer = this.#expect(id, limitMs);
    if (this.#child.connected) this.#child.send({ id, command } satisfies Request);
    else this.#settle({ id, error: `its process has ended: ${this.#complaints.trim()}` });
    return (await answer) as T;
  }

  /** Lets the contender close, and ends the process in any case. */
  async stop(): Promise<void> {
    const gone = new Promise<void>(resolve => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) resolve();
      else this.#child.once('exit', () => resolve());
    });
    await this.ask({ do: 'close' }, CLOSE_MS).catch(() => {});
    this.#child.kill('SIGKILL');
    await gone;
  }

  async #expect(id: number, limitMs: number): Promise<unknown> {
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    const timer = setTimeout(() => {
      this.#settle({ id, error: `no answer within ${limitMs / 1000} s ${this.#complaints.trim()}` });
    }, limitMs);
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #settle({ id, value, error }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }
}

/** Ends every actor that still runs, for an interrupted benchmark. */
export function killActors(): void {
  for (const child of running) child.kill('SIGKILL');
}
