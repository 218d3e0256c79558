import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { z } from 'zod';
import { resendMessage } from '../commands/resend.ts';
import { messagesOf, messageText, messageView, oneMessage, resending } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { found } from '../model.ts';
import type { Post } from '../post.ts';
import { findMessage, listMessages } from '../queries/messages.ts';
import { viewMessage, viewText } from '../views.ts';

const desk = ['owner', 'manager', 'front_desk'];
const readers = [...desk, 'auditor'];

/** What was written about a booking, and once more. */
export function messageRoutes(post: Post): readonly AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/messages',
      summary: 'The messages of a reservation and what became of them, newest first',
      auth: operator(readers),
      query: messagesOf,
      returns: { 200: z.strictObject({ messages: z.array(messageView) }) },
      async handler({ tx }, { query }) {
        const list = await listMessages(tx, query.reservationId);
        return { status: 200, body: { messages: list.map(viewMessage) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/messages/:messageId',
      summary: 'A message with its words, to be looked at or printed',
      auth: operator(desk),
      params: oneMessage,
      returns: { 200: messageText },
      errors: [coreErrors.NOT_FOUND],
      handler: async ({ tx }, { params }) => ({
        status: 200,
        body: viewText(found(await findMessage(tx, params.messageId), 'Message')),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/messages/:messageId/resend',
      summary: 'Write about the same fact once more, to the address the booking has now',
      auth: operator(desk),
      params: oneMessage,
      body: resending,
      returns: { 202: messageView },
      errors: [coreErrors.NOT_FOUND, errors.CHANNEL_NOT_OFFERED],
      rateLimit: { limit: 30, windowMs: 60_000, per: 'principal' },
      handler: async (ctx, { params: { messageId }, body: { channel } }) => ({
        status: 202,
        body: viewMessage(await resendMessage(ctx, post, { messageId, channel })),
      }),
    }),
  ];
}
