import { sql } from '@ghasi/db/drizzle';
import { rows } from '@ghasi/db/sql';
import { idFromUuid, PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';
import {
  defineJob,
  every,
  type JobDefinition,
  type LooseJobCtx,
  type Schedule,
} from '@ghasi/jobs/define-job';
import { enqueue } from '@ghasi/jobs/enqueue';
import { z } from 'zod';
import { sendMessageNow } from './commands/send-message.ts';
import { type Running, writeLetterNow } from './commands/write-letter.ts';
import type { Post } from './post.ts';
import { purgeBefore } from './queries/messages.ts';
import { RETENTION_DAYS } from './queries/settings.ts';
import { sendMessage, writeLetter } from './tasks.ts';

/** Most letters and messages that one round looks at; the next round is 10 s later. */
const ROUND = 200;
/** What is due has a job that is on its way. Looking after it at once would give a busy machine the more to do. */
const GRACE_MS = 30_000;

/** The tasks, bound to whom they ask and how they send. */
export function messageJobs(post: Post): JobDefinition[] {
  const bound = [
    {
      ...writeLetter,
      work: {
        transaction: 'none',
        run: (ctx: LooseJobCtx, input: z.output<typeof writeLetter.input>) =>
          writeLetterNow(runningIn(ctx), post, input),
      },
    },
    {
      ...sendMessage,
      work: {
        transaction: 'none',
        run: (ctx: LooseJobCtx, input: z.output<typeof sendMessage.input>) =>
          sendMessageNow(runningIn(ctx), post, input),
      },
    },
  ];
  return bound as unknown as JobDefinition[];
}

function runningIn(ctx: LooseJobCtx): Running {
  return { transaction: work => ctx.transaction(work), now: ctx.now, log: ctx.log };
}

type Due = { tenantId: TenantId; kind: 'letter' | 'message'; id: string };

/**
 * Looks for what is due and was not done: a worker died, a provider was silent. Rows carry the time, so nothing depends
 * on a job that somebody remembered to enqueue.
 */
export const sweepMessages = defineJob({
  name: 'notification.sweep-messages',
  queue: 'scheduled',
  scope: 'system',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const due = await ctx.transaction(
      ({ tx }) =>
        rows<Due>(
          tx,
          sql`select tenant_id as "tenantId", kind, id
              from notification.due(${new Date(ctx.now.getTime() - GRACE_MS)}, ${ROUND})`,
        ),
      { tenantId: PLATFORM_TENANT_ID },
    );
    for (const { tenantId, kind, id } of due) {
      await ctx.transaction(
        async inner => {
          if (kind === 'letter') return enqueue(inner, writeLetter, { letterId: id }, { key: id });
          const messageId = idFromUuid('msg', id);
          return enqueue(inner, sendMessage, { messageId }, { key: messageId });
        },
        { tenantId },
      );
    }
    return { due: due.length };
  },
});

type Old = { tenantId: TenantId; before: Date };

/** Forgets what was written and to which address, once a house's retention time is over. */
export const purgeTexts = defineJob({
  name: 'notification.purge-texts',
  queue: 'scheduled',
  scope: 'system',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const old = await ctx.transaction(
      ({ tx }) =>
        rows<Old>(
          tx,
          sql`select tenant_id as "tenantId", before
              from notification.with_old_texts(${ctx.now}, ${RETENTION_DAYS}, ${ROUND})`,
        ),
      { tenantId: PLATFORM_TENANT_ID },
    );
    let purged = 0;
    for (const { tenantId, before } of old)
      purged += await ctx.transaction(({ tx, now }) => purgeBefore(tx, before, now), { tenantId });
    return { purged };
  },
});

/** What comes round by itself. */
export const messageSchedules: readonly Schedule[] = [every('10s', sweepMessages), every('1h', purgeTexts)];
