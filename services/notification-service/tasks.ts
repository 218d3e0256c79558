import { defineJob } from '@ghasi/jobs/define-job';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

/*
 * Use cases enqueue these by name. What they run needs the channels and the questions, which only the composed service
 * has: jobs.ts binds them. Both in one queue: when a letter is written, the worker that wrote it looks for its messages.
 */
const unbound = async () => {
  throw new Error('this job is bound to its channels in jobs.ts');
};

/** Asks whom to write to and puts a fact into words, one message per channel. */
export const writeLetter = defineJob({
  name: 'notification.write-letter',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ letterId: z.uuid() }),
  timeoutSeconds: 50,
  transaction: 'none',
  run: unbound,
});

/** Hands one message to its provider, or asks what became of it. */
export const sendMessage = defineJob({
  name: 'notification.send-message',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ messageId: idText('msg') }),
  timeoutSeconds: 50,
  transaction: 'none',
  run: unbound,
});
