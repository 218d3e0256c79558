import { accepted } from '@ghasi/db/accepted';
import type { Database } from '@ghasi/db/database';
import { retryOnConflict } from '@ghasi/db/optimistic';
import { type Actor, type Ctx, tenantRead, tenantTransaction, type Who } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { newId, type TenantId } from '@ghasi/domain-primitives/ids';
import type { Logger } from '@ghasi/telemetry/logger';
import { withDeadline } from './deadline.ts';
import type { RawInput } from './input.ts';
import { BadReply, type Rendered, renderReply } from './output.ts';
import type { Principal, RequestFacts } from './principal.ts';
import { type AnyRoute, type CspNonce, isMutating, type RouteRequest } from './route.ts';

/** A handler's run: everything it is given. */
export type Run = {
  db: Database;
  route: AnyRoute;
  tenantId: TenantId | undefined;
  principal: Principal | undefined;
  input: RawInput;
  facts: RequestFacts;
  cspNonce: CspNonce;
  timeoutMs: number;
  now: Date;
  log: Logger;
};

/** Called with the finished reply inside the transaction of the effect; what it throws rolls both back. */
export type Finish = (ctx: Ctx, rendered: Rendered) => Promise<void>;

/** The erased handler: defineRoute checked the real types. */
type Handler = (ctx: object, input: RawInput, request: RouteRequest) => Promise<unknown>;

/** Runs a route's handler in the transaction mode it asked for, within its time, and renders its reply. */
export function executeRoute(run: Run, finish?: Finish): Promise<Rendered> {
  return withDeadline(run.timeoutMs, async signal => {
    const call = (ctx: object) =>
      (run.route.handler as unknown as Handler)(ctx, run.input, {
        ...run.facts,
        cspNonce: run.cspNonce,
        signal,
      });
    const mode = run.route.transaction ?? 'whole';
    if (mode === 'none') return renderReply(run.route, await call(bareCtx(run)));
    if (mode === 'late') return executeLate(run, call, finish);
    return inTransaction(run, finish, ctx => call({ ...ctx, principal: run.principal }));
  });
}

type Call = (ctx: object) => Promise<unknown>;

/** The handler works first and commits once; only what it did inside `commit` is its reply. */
async function executeLate(run: Run, call: Call, finish: Finish | undefined): Promise<Rendered> {
  let rendered: Rendered | undefined;
  let called = false;
  const commit = async (work: Call) => {
    if (called) throw new BadReply(run.route, 'a second commit');
    called = true;
    let reply: unknown;
    rendered = await inTransaction(run, finish, async ctx => {
      reply = await work({ ...ctx, principal: run.principal });
      return reply;
    });
    return reply;
  };
  await call({ ...bareCtx(run), commit });
  if (rendered === undefined) throw new BadReply(run.route, 'nothing: it never called ctx.commit');
  return rendered;
}

function inTransaction(
  run: Run,
  finish: Finish | undefined,
  work: (ctx: Ctx) => Promise<unknown>,
): Promise<Rendered> {
  const who = whoOf(run);
  const whole = async (ctx: Ctx) => {
    const reply = await work(ctx);
    const rendered = renderReply(run.route, reply);
    await finish?.(ctx, rendered);
    return accepted(rendered, (reply as { events?: readonly unknown[] }).events ?? []);
  };
  // A GET gets a transaction that refuses writes: it cannot change state even by mistake (safety rule 32).
  if (!isMutating(run.route)) return tenantRead(run.db, who, whole);
  return retryOnConflict(() => tenantTransaction(run.db, who, whole), { db: run.db });
}

/** For whom this run touches the database. */
export function whoOf({ tenantId, principal, now, log }: Run): Who {
  if (tenantId === undefined) throw coreErrors.TENANT_CONTEXT_MISSING();
  return { tenantId, actor: actorOf(principal), now, log };
}

function bareCtx({ db, tenantId, principal, now, log }: Run) {
  return { db, tenantId, principal, actor: actorOf(principal), now, newId, log };
}

const actorTypes = { operator: 'user', guest: 'user', device: 'api_key', service: 'service' } as const;

/** The actor as events and audit rows name it (ledger ENV-11). */
function actorOf(principal: Principal | undefined): Actor {
  if (principal === undefined) return { type: 'system', id: 'anonymous' };
  return { type: actorTypes[principal.kind], id: principal.id };
}
