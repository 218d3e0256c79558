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
import { defineSweep } from '@ghasi/jobs/define-sweep';
import { bindTask } from '@ghasi/jobs/define-task';
import { enqueue } from '@ghasi/jobs/enqueue';
import { rounds } from '@ghasi/jobs/rounds';
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
  return [
    bindTask(writeLetter, (ctx, letter) => writeLetterNow(runningIn(ctx), post, letter)),
    bindTask(sendMessage, (ctx, message) => sendMessageNow(runningIn(ctx), post, message)),
  ];
}

function runningIn(ctx: LooseJobCtx): Running {
  return { transaction: work => ctx.transaction(work), now: ctx.now, log: ctx.log };
}

/** Looks for what is due and was not done. */
export const sweepMessages = defineSweep<{ tenantId: TenantId; kind: 'letter' | 'message'; id: string }>({
  name: 'notification.sweep-messages',
  most: ROUND,
  due: (now, most) => sql`select tenant_id as "tenantId", kind, id
                          from notification.due(${new Date(now.getTime() - GRACE_MS)}, ${most}) with ordinality
                          order by row_number() over (partition by kind order by ordinality)`, // one of each kind in turn
  each(ctx, { kind, id }) {
    if (kind === 'letter') return enqueue(ctx, writeLetter, { letterId: id }, { key: id });
    const messageId = idFromUuid('msg', id);
    return enqueue(ctx, sendMessage, { messageId }, { key: messageId });
  },
});

type Old = { tenantId: TenantId; before: Date };

/** The moment moves on with the clock, so that a tenant is known by its id alone. */
const purgeRound = rounds<Old>({ most: ROUND, nameOf: ({ tenantId }) => tenantId });

/** Forgets what was written and to which address, once a house's retention time is over. */
export const purgeTexts = defineJob({
  name: 'notification.purge-texts',
  queue: 'scheduled',
  scope: 'system',
  input: z.strictObject({}),
  transaction: 'none',
  async run(ctx) {
    const old = (most: number) =>
      ctx.transaction(
        ({ tx }) =>
          rows<Old>(
            tx,
            sql`select tenant_id as "tenantId", before
                from notification.with_old_texts(${ctx.now}, ${RETENTION_DAYS}, ${most})`,
          ),
        { tenantId: PLATFORM_TENANT_ID },
      );
    let purged = 0;
    await purgeRound(ctx, old, async ({ tenantId, before }) => {
      purged += await ctx.transaction(({ tx, now }) => purgeBefore(tx, before, now), { tenantId });
    });
    return { purged };
  },
});

/** What comes round by itself. */
export const messageSchedules: readonly Schedule[] = [every('10s', sweepMessages), every('1h', purgeTexts)];
