import { desc } from '@ghasi/db/drizzle';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { z } from 'zod';
import { putSettings } from '../commands/change-settings.ts';
import { newOptOut, optOutLifted, optOutView, settingsView } from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { isAddress, type Post } from '../post.ts';
import { findSettings, type Settings } from '../queries/settings.ts';
import { lift, type Suppression, suppress } from '../queries/suppressions.ts';
import { suppressions } from '../tables.ts';

const boss = ['owner', 'manager'];
const desk = [...boss, 'front_desk'];

/** How a house writes, and to whom it does not. */
export function settingsRoutes(post: Post): readonly AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/message-settings',
      summary: 'Sender, channels, quiet hours and retention',
      auth: operator(boss),
      returns: { 200: settingsView },
      handler: async ({ tx }) => ({ status: 200, body: viewSettings(await findSettings(tx)) }),
    }),
    defineRoute({
      method: 'PUT',
      path: '/api/v1/message-settings',
      summary: 'Change how the house writes',
      auth: operator(boss),
      body: settingsView,
      returns: { 200: settingsView },
      errors: [coreErrors.VERSION_CONFLICT],
      handler: async (ctx, { body }) => ({ status: 200, body: await putSettings(ctx, body) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/message-opt-outs',
      summary: 'How many are not written to any more, since when and why; no addresses are kept',
      auth: operator(boss),
      returns: { 200: z.strictObject({ optOuts: z.array(optOutView) }) },
      async handler({ tx }) {
        const list = await tx.select().from(suppressions).orderBy(desc(suppressions.since)).limit(200);
        return { status: 200, body: { optOuts: list.map(viewOptOut) } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/message-opt-outs',
      summary: 'A guest does not want to be written to',
      auth: operator(desk),
      body: newOptOut,
      returns: { 201: optOutView },
      errors: [errors.ADDRESS_UNREADABLE],
      async handler(ctx, { body: { channel, address, scope } }) {
        if (!isAddress(channel, address)) throw errors.ADDRESS_UNREADABLE({ channel });
        const what = { channel, scope, source: 'staff' } as const;
        suppress(ctx, { ...what, addressHash: post.hashOf(ctx.tenantId, { channel, address }) });
        return { status: 201, body: { ...what, since: ctx.now.toISOString() } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/message-opt-outs/lift',
      summary: 'Write to an address again',
      auth: operator(desk),
      body: optOutLifted,
      returns: { 200: z.strictObject({ wasOptedOut: z.boolean() }) },
      errors: [errors.ADDRESS_UNREADABLE],
      async handler({ tx, tenantId }, { body: { channel, address } }) {
        if (!isAddress(channel, address)) throw errors.ADDRESS_UNREADABLE({ channel });
        const wasOptedOut = await lift(tx, channel, post.hashOf(tenantId, { channel, address }));
        return { status: 200, body: { wasOptedOut } };
      },
    }),
  ];
}

function viewSettings(settings: Settings): z.input<typeof settingsView> {
  const { senderName, replyTo, email, sms, whatsapp, surveys } = settings;
  const { quietFrom, quietUntil, retentionDays, version } = settings;
  return {
    senderName,
    replyTo,
    email,
    sms,
    whatsapp,
    surveys,
    quietFrom,
    quietUntil,
    retentionDays,
    version,
  };
}

function viewOptOut({ channel, scope, source, since }: Suppression): z.input<typeof optOutView> {
  return { channel, scope, source, since: since.toISOString() };
}
