import { accepted, isAccepted } from '@ghasi/db/accepted';
import { tenantTransaction } from '@ghasi/db/tenant-transaction';
import { failpoint } from '@ghasi/domain-primitives/failpoint';
import { newId, PLATFORM_TENANT_ID, type TenantId } from '@ghasi/domain-primitives/ids';
import type { Claim } from './claim.ts';
import type { JobCtx, LooseJobCtx } from './define-job.ts';
import { jobErrors } from './errors.ts';
import { completeIn, holdIn, type Lease } from './lease.ts';
import { countingRows } from './rows-touched.ts';

/** What is kept with a job that is done (JOB-16, JOB-30). */
export type Output = { readonly result: unknown; readonly rows: number };

/** Marks a job that runs without a transaction as done; false when the lease was lost. */
export type CompleteLoose = (lease: Lease, output: Output) => Promise<boolean>;

/** Runs a claimed job to its end. LEASE_LOST means that nothing of it was saved. */
export function runJob(claim: Claim, completeLoose: CompleteLoose): Promise<Output> {
  return claim.job.work.transaction === 'none' ? runLoose(claim, completeLoose) : runInTransaction(claim);
}

/** The effect and the end of the job commit together, and only while this run holds the job. */
function runInTransaction(claim: Claim): Promise<Output> {
  const run = claim.job.work.run as (ctx: JobCtx, input: unknown) => Promise<unknown>;
  return tenantTransaction(claim.db, claim.who, async ctx => {
    const { value, rows } = await countingRows(ctx.tx, () => run({ ...ctx, job: claim.run }, claim.input));
    const done = isAccepted(value) ? value : accepted(value, []);
    const output = { result: done.value ?? null, rows: await rows };
    await failpoint('jobs.before-complete');
    assertWanted(claim);
    await completeIn(ctx.tx, claim.lease, output);
    return accepted(output, done.events);
  });
}

async function runLoose(claim: Claim, complete: CompleteLoose): Promise<Output> {
  const run = claim.job.work.run as (ctx: LooseJobCtx, input: unknown) => Promise<unknown>;
  let rows = 0;
  const ctx: LooseJobCtx = {
    ...claim.who,
    db: claim.db,
    newId,
    now: new Date(),
    job: claim.run,
    async transaction(work, options) {
      const who = { ...claim.who, tenantId: tenantFor(claim, options?.tenantId) };
      return tenantTransaction(claim.db, who, async inner => {
        const counted = await countingRows(inner.tx, () => work({ ...inner, job: claim.run }));
        assertWanted(claim);
        const held = holdIn(inner.tx, claim.lease, inner.tenantId);
        inner.ensure(held);
        if (claim.who.tenantId !== inner.tenantId) await held; // the tenant is another meanwhile
        inner.ensure(counted.rows.then(more => inner.afterCommit(() => (rows += more))));
        return counted.value;
      });
    },
  };
  const result = (await run(ctx, claim.input)) ?? null;
  const output = { result, rows };
  assertWanted(claim);
  if (!(await complete(claim.lease, output))) throw lost(claim);
  return output;
}

/** After its time is up a run has failed, also in the moment before pg-boss has written that down. */
function assertWanted(claim: Claim): void {
  if (claim.run.signal.aborted) throw lost(claim);
}

function lost(claim: Claim) {
  return jobErrors.LEASE_LOST({ jobId: claim.run.id, attempt: claim.run.attempt });
}

/** A tenant's job stays with its tenant. */
function tenantFor(claim: Claim, asked: TenantId | undefined): TenantId {
  if (asked === undefined || asked === claim.who.tenantId) return claim.who.tenantId;
  if (claim.who.tenantId === PLATFORM_TENANT_ID) return asked;
  throw jobErrors.WRONG_SCOPE({ name: claim.job.name, scope: 'tenant', found: 'another tenant' });
}
