-- why: pg-boss knows no tenants; every job row gets one, and a service sees and writes only its own tenant's jobs.

-- pg-boss's row as the ledger's job (JOB-01 to JOB-18). The tenant is pg-boss's group, so that pg-boss can also limit
-- how many jobs of one tenant run at once; no group means the platform (X-026). Derived, not stored by hand: pg-boss
-- fails a job by deleting its row and inserting it again with the columns it knows.
alter table jobs.job
  add column tenant_id uuid not null
    generated always as (coalesce(group_id::uuid, '00000000-0000-7000-8000-000000000001'::uuid)) stored,
  add column failed_runs int not null default 0,
  add column worker_id text,
  add column updated_at timestamptz not null default now(),
  add constraint priority_one_to_ten check (priority between 1 and 10 or name like '\_\_pgboss\_\_%');

-- What pg-boss has no setting for.
create function jobs.before_job_write() returns trigger
  language plpgsql
as $$
declare
  dead_letters_stay constant int := 30 * 24 * 60 * 60; -- seconds
begin
  new.updated_at := jobs.job_now();
  if tg_op = 'INSERT' then
    if new.state in ('retry', 'failed') then
      new.failed_runs := new.retry_count + 1; -- pg-boss counts a failure when the next run starts (X-149)
    end if;
    if new.state = 'retry' then
      new.start_after := case
        -- The worker died, not the work: run again at once, whatever the backoff of the job.
        when new.output #>> '{value,message}' = 'job heartbeat timeout' then jobs.job_now()
        -- The job asked for this moment (RetryLater).
        else coalesce((new.output ->> 'retryAt')::timestamptz, new.start_after)
      end;
    elsif new.state = 'failed' then
      new.deletion_seconds := greatest(new.deletion_seconds, dead_letters_stay);
    end if;
  elsif old.state = 'active' and new.state in ('created', 'retry') then
    -- The next claim would get the number of this one, and a run that was taken for dead could save its work (lease.ts).
    raise exception 'job % is claimed and cannot be given back', new.id;
  elsif new.state in ('active', 'cancelled') and old.state <> new.state then
    if new.state = 'active' then
      new.worker_id := current_setting('application_name');
    end if;
    -- A key holds until its job starts: what is asked for during the run may be too late for it, so it runs again.
    if new.singleton_key like 'once:%' then
      new.singleton_key := 'job:' || new.id;
    end if;
  end if;
  return new;
end $$;

create trigger before_job_write before insert or update on jobs.job
  for each row execute function jobs.before_job_write();

alter table jobs.job enable row level security;
alter table jobs.job force row level security;
alter table jobs.job_common enable row level security;
alter table jobs.job_common force row level security;

-- The worker claims and settles everybody's jobs. It has no right to any service's own tables.
grant usage on schema jobs to jobs_worker;
grant select, insert, update, delete on all tables in schema jobs to jobs_worker;
revoke all on jobs.schema_migrations from jobs_worker;
create policy crosses_jobs_worker on jobs.job to jobs_worker using (true) with check (true);
create policy crosses_jobs_worker on jobs.job_common to jobs_worker using (true) with check (true);

-- Jobs that sweep all tenants run as `maintenance` (X-093); it settles jobs of the platform only.
grant usage on schema jobs to maintenance;
grant select on jobs.queue to maintenance;
grant select, update on jobs.job, jobs.job_common to maintenance;
create policy platform_jobs on jobs.job to maintenance
  using (tenant_id = '00000000-0000-7000-8000-000000000001')
  with check (tenant_id = '00000000-0000-7000-8000-000000000001');
create policy platform_jobs on jobs.job_common to maintenance
  using (tenant_id = '00000000-0000-7000-8000-000000000001')
  with check (tenant_id = '00000000-0000-7000-8000-000000000001');

create type jobs.job_status as enum ('pending', 'running', 'completed', 'failed', 'canceled', 'dead_letter');

-- The ledger's `jobs` table. `failed` is a job between two runs; once it is due again it is `pending`.
create view jobs.jobs with (security_invoker = true) as
select
  id,
  nullif(tenant_id, '00000000-0000-7000-8000-000000000001') as org_id,
  (data ->> 'accountId')::uuid as account_id,
  (data ->> 'type')::varchar as job_type,
  split_part(name, '.', 2)::varchar as queue,
  priority,
  data -> 'input' as payload,
  (case
    when state = 'created' then 'pending'
    when state = 'active' then 'running'
    when state = 'completed' then 'completed'
    when state = 'cancelled' then 'canceled'
    when state = 'failed' then 'dead_letter'
    when start_after <= jobs.job_now() then 'pending'
    else 'failed'
  end)::jobs.job_status as status,
  worker_id::varchar as worker_id,
  coalesce((data ->> 'runAt')::timestamptz, created_on) as scheduled_at,
  started_on as started_at,
  completed_on as completed_at,
  failed_runs as retry_count,
  retry_limit as max_retries,
  case when state = 'retry' then start_after end as next_retry_at,
  expire_seconds as timeout_seconds,
  case when state = 'completed' then output -> 'result' end as result,
  case when state <> 'completed' then coalesce(output ->> 'message', output #>> '{value,message}', output ->> 'value') end as error_message,
  created_on as created_at,
  updated_at
from jobs.job
where name not like '\_\_pgboss\_\_%';

grant select on jobs.jobs to jobs_worker, maintenance;

-- One pg-boss queue per service and ledger queue (X-148): a process that hosts only some services must not be handed
-- the jobs of others. The lease is 10 s, pg-boss's shortest.
create function jobs.create_service_queue(service text, queue text, kept_days int) returns void
  language sql
  return jobs.create_queue(service || '.' || queue, jsonb_build_object(
    'policy', 'exclusive',
    'heartbeatSeconds', 10,
    'expireInSeconds', 300,
    'retryLimit', 3,
    'retryDelay', 5,
    'retryBackoff', true,
    'retryDelayMax', 900,
    'retentionSeconds', 365 * 24 * 60 * 60,
    'deleteAfterSeconds', kept_days * 24 * 60 * 60));

-- Lets a service have jobs: called by the service's own migration, `select jobs.admit('iam');`.
create function jobs.admit(service text) returns void
  language plpgsql
as $$
declare
  role_name text := 'svc_' || service;
  queues text[] := array[service || '.critical', service || '.default', service || '.bulk', service || '.scheduled'];
  target regclass;
begin
  perform jobs.create_service_queue(service, 'critical', 7);
  perform jobs.create_service_queue(service, 'default', 7);
  perform jobs.create_service_queue(service, 'bulk', 7);
  perform jobs.create_service_queue(service, 'scheduled', 1);
  execute format('grant usage on schema jobs to %I', role_name);
  execute format('grant select on jobs.jobs, jobs.queue to %I', role_name);
  foreach target in array array['jobs.job', 'jobs.job_common']::regclass[]
  loop
    -- No delete: a job ends as completed, canceled or dead_letter, and pg-boss removes it when its time is over.
    execute format('grant select, insert, update on %s to %I', target, role_name);
    execute format('drop policy if exists %I on %s', role_name, target);
    execute format(
      'create policy %I on %s to %I using (tenant_id = app.tenant_id() and name = any (%L)) with check (tenant_id = app.tenant_id() and name = any (%L))',
      role_name, target, role_name, queues, queues);
  end loop;
end $$;

revoke execute on function jobs.admit(text), jobs.create_service_queue(text, text, int) from public;
