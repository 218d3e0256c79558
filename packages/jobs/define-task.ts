import type { z } from 'zod';
import {
  type Definition,
  defineJob,
  type JobDefinition,
  type JobScope,
  type LooseJobCtx,
} from './define-job.ts';

/**
 * A job that use cases enqueue by name. What it runs needs collaborators (providers, vendors, questions to other services)
 * that only the composed service has: `bindTask` gives it to them.
 */
export function defineTask<Input extends z.ZodType, const Scope extends JobScope>(
  definition: Definition<Input, Scope>,
): JobDefinition<Input, Scope> {
  const run = async () => {
    throw new Error(`${definition.name} was not bound to what it needs: see bindTask`);
  };
  return defineJob({ ...definition, transaction: 'none', run });
}

/** The task with what it runs. It opens transactions of its own and must be safe to repeat (JOB-19). */
export function bindTask<Input extends z.ZodType, Scope extends JobScope>(
  task: JobDefinition<Input, Scope>,
  run: (ctx: LooseJobCtx, input: z.output<Input>) => Promise<unknown>,
): JobDefinition {
  return Object.freeze({ ...task, work: { transaction: 'none', run } }) as unknown as JobDefinition;
}
