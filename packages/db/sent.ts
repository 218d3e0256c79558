import { sqlState } from './pg-errors.ts';
import { StatementSkipped } from './statement-batch.ts';

/** What a transaction has sent without waiting for the answer, and what it does once it has committed. */
export class Sent {
  readonly #writes: Promise<unknown>[] = [];
  readonly #checks: Promise<unknown>[] = [];
  readonly #later: (() => void)[] = [];
  #failure: { readonly reason: unknown } | undefined;

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
    if (this.#checks.length > 0) await Promise.all(this.#checks);
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Waits until nothing of it is under way: from now on its connection may serve others. */
  async ended(): Promise<void> {
    await Promise.allSettled([...this.#writes, ...this.#checks]);
  }

  /** Throws unless every write has been done too. */
  async done(): Promise<void> {
    if (this.#writes.length > 0) await Promise.all(this.#writes);
    await this.checked();
  }

  committed(): void {
    for (const work of this.#later) work();
  }

  /** A builder's statement is sent when somebody asks for its answer: now, or the next one would leave before it. */
  #begun(statement: PromiseLike<unknown>): Promise<unknown> {
    const promise = new Promise((resolve, reject) => statement.then(resolve, reject));
    promise.catch(reason => {
      this.#failure ??= { reason };
    });
    return promise;
  }

  /** Of what was sent, that which failed first; what comes after it only says that the transaction is over. */
  async reasonFor(error: unknown): Promise<unknown> {
    if (!isAftermath(error)) return error;
    for (const sent of await Promise.allSettled([...this.#writes, ...this.#checks]))
      if (sent.status === 'rejected' && !isAftermath(sent.reason)) return sent.reason;
    return error instanceof StatementSkipped ? error.cause : error;
  }
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
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof StatementSkipped) return true;
  return false;
}
