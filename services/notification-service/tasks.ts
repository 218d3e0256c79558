import { defineTask } from '@ghasi/jobs/define-task';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';

// Bound to the channels and questions they need in jobs.ts. Both in one queue: when a letter is written, the worker that
// wrote it looks for its messages.

/** Asks whom to write to and puts a fact into words, one message per channel. */
export const writeLetter = defineTask({
  name: 'notification.write-letter',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ letterId: z.uuid() }),
  timeoutSeconds: 50,
});

/** Hands one message to its provider, or asks what became of it. */
export const sendMessage = defineTask({
  name: 'notification.send-message',
  queue: 'critical',
  scope: 'tenant',
  input: z.strictObject({ messageId: idText('msg') }),
  timeoutSeconds: 50,
});
