import type { Database } from '@ghasi/db/database';
import type { Logger } from '@ghasi/telemetry/logger';
import type { z } from 'zod';

/**
 * A question one service may put to another inside a request: rare, visible, at most two deep. Declared in the
 * contract of the service that answers; its name starts with that service's schema, e.g. `iam.verify-access`.
 */
export type Question<In extends z.ZodType = z.ZodType, Out extends z.ZodType = z.ZodType> = {
  readonly name: `${string}.${string}`;
  readonly input: In;
  readonly output: Out;
};

/** Puts a question to whoever answers it, in this process or another. */
export type Ask = <In extends z.ZodType, Out extends z.ZodType>(
  question: Question<In, Out>,
  input: z.input<In>,
) => Promise<z.output<Out>>;

/** What an answer works with: its own service's database, and the questions the service declared in `needs`. */
export type AnswerCtx = { db: Database; ask: Ask; log: Logger };

/** A question together with the function that answers it. */
export type Answer = {
  readonly question: Question;
  readonly handle: (ctx: AnswerCtx, input: unknown) => Promise<unknown>;
};

/** Declares a question. */
export function defineQuestion<In extends z.ZodType, Out extends z.ZodType>(
  question: Question<In, Out>,
): Question<In, Out> {
  if (!/^[a-z_]+\.[a-z-]+$/.test(question.name))
    throw new TypeError(`question "${question.name}" is not named like iam.verify-access`);
  return question;
}

/** Ties a question to its answer. */
export function answer<In extends z.ZodType, Out extends z.ZodType>(
  question: Question<In, Out>,
  handle: (ctx: AnswerCtx, input: z.output<In>) => Promise<z.input<Out>>,
): Answer {
  return { question, handle: handle as Answer['handle'] };
}
