import type { Logger } from '@ghasi/telemetry/logger';
import { causesOf, sqlState } from './pg-errors.ts';
import { TransactionOver } from './sql.ts';
import { StatementSkipped } from './statement-batch.ts';

/** What a transaction has sent without waiting for the answer, and what it does once it has committed. */
export class Sent {
  readonly #writes: Promise<unknown>[] = [];
  readonly #checks: Promise<unknown>[] = [];
  readonly #later: (() => unknown)[] = [];
  #failure: { readonly reason: unknown } | undefined;
  readonly #mostMs: number;
  #isOver = false;

  /** `mostMs`: how long anything may take to come to an end; 0 for as long as it likes. */
  constructor(mostMs: number) {
    this.#mostMs = mostMs;
  }

  write(statement: PromiseLike<unknown>): void {
    this.#writes.push(this.#begun(statement));
  }

  ensure(check: PromiseLike<unknown>): void {
    this.#checks.push(this.#begun(check));
  }

  afterCommit(work: () => void): void {
    this.#later.push(work);
  }

  /** Throws unless every check has come true, and if a write is known to have failed. */
  async checked(): Promise<void> {
    if (this.#checks.length > 0) await this.#within(Promise.all(this.#checks));
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Throws unless every write has been done too. */
  async done(): Promise<void> {
    if (this.#writes.length > 0) await this.#within(Promise.all(this.#writes));
    await this.checked();
  }

  /** From now on nothing can be sent: what a branch of the work still wants to write is refused. */
  end(): void {
    this.#isOver = true;
  }

  /** What was committed is told as committed, whatever becomes of the work that was to follow. */
  committed(log: Logger | undefined): void {
    const tell = (error: unknown) =>
      log?.error({ err: error }, 'what was to follow a commit failed; the commit stands');
    for (const write of this.#writes) write.catch(error => tellLost(error, log));
    for (const work of this.#later) {
      try {
        const ends = work();
        if (ends instanceof Promise) ends.catch(tell); // nobody else hears of it, and that ends a process
      } catch (error) {
        tell(error);
      }
    }
  }

  /** A builder's statement is sent when somebody asks for its answer: now, or the next one would leave before it. */
  #begun(statement: PromiseLike<unknown>): Promise<unknown> {
    const promise = new Promise((resolve, reject) => statement.then(resolve, reject));
    promise.catch(reason => {
      this.#failure ??= { reason };
    });
    if (this.#isOver) throw new TransactionOver();
    return promise;
  }

  /** A statement ends by itself; what the work made of its answer need not. */
  async #within<T>(ends: Promise<T>): Promise<T> {
    if (this.#mostMs === 0) return ends;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () =>
        late.reject(new NeverEnded(`What the transaction relies on did not end within ${this.#mostMs} ms.`)),
      this.#mostMs,
    );
    try {
      return await Promise.race([ends, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Of what was sent, that which failed first; what comes after it only says that the transaction is over. */
  async reasonFor(error: unknown): Promise<unknown> {
    if (!isAftermath(error)) return error;
    const all = Promise.allSettled([...this.#writes, ...this.#checks]);
    for (const sent of await this.#within(all).catch(() => []))
      if (sent.status === 'rejected' && !isAftermath(sent.reason)) return sent.reason;
    return error instanceof StatementSkipped ? error.cause : error;
  }
}

/** A statement that was refused came after COMMIT. What only has no answer was committed: that was asked of the server. */
function tellLost(error: unknown, log: Logger | undefined): void {
  if (!isAftermath(error)) return;
  log?.error(
    { err: error },
    'a write came after COMMIT and is lost: what takes several steps is for ctx.ensure',
  );
}

/** Something that a transaction was to wait for did not come to an end. */
export class NeverEnded extends Error {
  override name = 'NeverEnded';
}

/** COMMIT on a failed transaction is a ROLLBACK: a statement failed, and nobody minded. */
export class RolledBack extends Error {
  override name = 'RolledBack';
  constructor() {
    super('The transaction was rolled back: one of its statements failed and the error was swallowed.');
  }
}

const IN_FAILED_TRANSACTION = '25P02';

function isAftermath(error: unknown): boolean {
  if (error instanceof RolledBack || sqlState(error) === IN_FAILED_TRANSACTION) return true;
  for (const at of causesOf(error))
    if (at instanceof StatementSkipped || at instanceof TransactionOver) return true;
  return false;
}
