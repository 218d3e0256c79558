-- why: accounts, sessions, devices, second factors, keys and their log: PostgreSQL alone decides who is in.

create table if not exists iam.operators (
  tenant_id           uuid not null,
  id                  uuid not null,
  email               text not null check (length(email) between 3 and 254),
  name                text not null check (length(name) between 1 and 200),
  status              text not null check (status in ('invited', 'active', 'disabled')),
  password_hash       text,
  password_changed_at timestamptz,
  version             integer not null default 1,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  primary key (tenant_id, id),
  check (status <> 'active' or password_hash is not null)
);
create unique index if not exists ux_operators_email on iam.operators (tenant_id, lower(email));
select app.protect('iam.operators');

-- One-time links that set a password: an invitation or a reset. Only the hash of the token is kept.
create table if not exists iam.password_links (
  tenant_id   uuid not null,
  token_hash  bytea not null check (length(token_hash) = 32),
  operator_id uuid not null,
  purpose     text not null check (purpose in ('invite', 'reset')),
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  used_at     timestamptz,
  primary key (tenant_id, token_hash),
  foreign key (tenant_id, operator_id) references iam.operators (tenant_id, id)
);
create index if not exists ix_password_links_operator on iam.password_links (tenant_id, operator_id);
create index if not exists ix_password_links_expiry on iam.password_links (expires_at);
select app.protect('iam.password_links', maintenance => true);

create table if not exists iam.devices (
  tenant_id  uuid not null,
  id         uuid not null,
  name       text not null check (length(name) between 1 and 100),
  public_jwk jsonb not null,
  thumbprint text not null,
  paired_by  uuid not null,
  paired_at  timestamptz not null,
  revoked_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, paired_by) references iam.operators (tenant_id, id)
);
-- One live device per key; a key that was revoked may be paired again.
create unique index if not exists ux_devices_key on iam.devices (tenant_id, thumbprint) where revoked_at is null;
select app.protect('iam.devices');

create table if not exists iam.device_pairings (
  tenant_id   uuid not null,
  id          uuid not null,
  code_hash   bytea not null check (length(code_hash) = 32),
  device_name text not null,
  created_by  uuid not null,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  used_at     timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, created_by) references iam.operators (tenant_id, id)
);
create unique index if not exists ux_device_pairings_code on iam.device_pairings (tenant_id, code_hash);
create index if not exists ix_device_pairings_expiry on iam.device_pairings (expires_at);
select app.protect('iam.device_pairings', maintenance => true);

-- Nonces of device proofs: the primary key is what makes each of them work once.
create table if not exists iam.device_nonces (
  tenant_id  uuid not null,
  device_id  uuid not null,
  nonce      text not null check (length(nonce) between 16 and 64),
  expires_at timestamptz not null,
  primary key (tenant_id, device_id, nonce)
);
create index if not exists ix_device_nonces_expiry on iam.device_nonces (expires_at);
select app.protect('iam.device_nonces', maintenance => true);

create table if not exists iam.sessions (
  tenant_id       uuid not null,
  id              uuid not null,
  operator_id     uuid not null,
  device_id       uuid,
  amr             text[] not null,
  acting_role     text,
  created_at      timestamptz not null,
  idle_expires_at timestamptz not null,
  expires_at      timestamptz not null,
  revoked_at      timestamptz,
  revoked_reason  text,
  primary key (tenant_id, id),
  foreign key (tenant_id, operator_id) references iam.operators (tenant_id, id),
  foreign key (tenant_id, device_id) references iam.devices (tenant_id, id),
  check ((revoked_at is null) = (revoked_reason is null)),
  check (idle_expires_at <= expires_at)
);
create index if not exists ix_sessions_live_operator on iam.sessions (tenant_id, operator_id) where revoked_at is null;
create index if not exists ix_sessions_live_device on iam.sessions (tenant_id, device_id) where revoked_at is null;
create index if not exists ix_sessions_expiry on iam.sessions (expires_at);
select app.protect('iam.sessions', maintenance => true);

-- All refresh tokens of a session are one family. 'used' gave way to a successor; 'superseded' never reached its owner.
create table if not exists iam.refresh_tokens (
  tenant_id  uuid not null,
  token_hash bytea not null check (length(token_hash) = 32),
  session_id uuid not null,
  sequence   integer not null,
  state      text not null check (state in ('current', 'used', 'superseded')),
  created_at timestamptz not null,
  primary key (tenant_id, token_hash),
  foreign key (tenant_id, session_id) references iam.sessions (tenant_id, id) on delete cascade
);
create unique index if not exists ux_refresh_tokens_sequence on iam.refresh_tokens (tenant_id, session_id, sequence);
create unique index if not exists ux_refresh_tokens_current on iam.refresh_tokens (tenant_id, session_id) where state = 'current';
select app.protect('iam.refresh_tokens', maintenance => true);

create table if not exists iam.factors (
  tenant_id     uuid not null,
  id            uuid not null,
  operator_id   uuid not null,
  kind          text not null check (kind in ('totp', 'webauthn')),
  label         text not null check (length(label) between 1 and 100),
  status        text not null check (status in ('pending', 'active')),
  sealed_secret bytea,
  last_step     bigint,
  credential_id text,
  public_key    bytea,
  sign_count    bigint,
  transports    text[],
  created_at    timestamptz not null,
  confirmed_at  timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, operator_id) references iam.operators (tenant_id, id),
  check ((kind = 'totp') = (sealed_secret is not null)),
  check ((kind = 'webauthn') = (credential_id is not null and public_key is not null and sign_count is not null))
);
create unique index if not exists ux_factors_totp on iam.factors (tenant_id, operator_id, status) where kind = 'totp';
create unique index if not exists ux_factors_credential on iam.factors (tenant_id, credential_id) where kind = 'webauthn';
create index if not exists ix_factors_operator on iam.factors (tenant_id, operator_id);
select app.protect('iam.factors');

create table if not exists iam.recovery_codes (
  tenant_id   uuid not null,
  operator_id uuid not null,
  code_hash   bytea not null check (length(code_hash) = 32),
  created_at  timestamptz not null,
  used_at     timestamptz,
  primary key (tenant_id, operator_id, code_hash),
  foreign key (tenant_id, operator_id) references iam.operators (tenant_id, id)
);
select app.protect('iam.recovery_codes');

-- Something to answer within minutes: the second step of a sign-in, a passkey to register, an action to confirm.
create table if not exists iam.challenges (
  tenant_id          uuid not null,
  id                 uuid not null,
  purpose            text not null check (purpose in ('sign_in', 'register', 'step_up')),
  operator_id        uuid not null,
  session_id         uuid,
  device_id          uuid,
  token_hash         bytea,
  webauthn_challenge text,
  action             text,
  amount_minor       bigint,
  currency           text,
  resource           text,
  failures           integer not null default 0,
  created_at         timestamptz not null,
  expires_at         timestamptz not null,
  consumed_at        timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, operator_id) references iam.operators (tenant_id, id),
  check ((purpose = 'sign_in') = (token_hash is not null)),
  check ((purpose = 'sign_in') = (session_id is null)),
  check ((purpose = 'step_up') = (action is not null)),
  check ((amount_minor is null) = (currency is null))
);
create index if not exists ix_challenges_expiry on iam.challenges (expires_at);
select app.protect('iam.challenges', maintenance => true);

create table if not exists iam.attestations (
  tenant_id    uuid not null,
  id           uuid not null,
  operator_id  uuid not null,
  session_id   uuid not null,
  action       text not null,
  amount_minor bigint,
  currency     text,
  resource     text,
  method       text not null check (method in ('totp', 'webauthn')),
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  consumed_at  timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, operator_id) references iam.operators (tenant_id, id),
  check ((amount_minor is null) = (currency is null)),
  check (expires_at <= created_at + interval '5 minutes')
);
create index if not exists ix_attestations_expiry on iam.attestations (expires_at);
select app.protect('iam.attestations', maintenance => true);

-- Failures in a row. The subject is a hash: an e-mail nobody has is counted exactly like one that somebody has.
create table if not exists iam.attempts (
  tenant_id     uuid not null,
  kind          text not null check (kind in ('password', 'factor', 'pairing')),
  subject       bytea not null check (length(subject) = 32),
  failures      integer not null,
  last_at       timestamptz not null,
  blocked_until timestamptz,
  primary key (tenant_id, kind, subject)
);
create index if not exists ix_attempts_last on iam.attempts (last_at);
select app.protect('iam.attempts', maintenance => true);

-- Keys belong to the installation: the platform's tenant owns them, so that no tenant's transaction sees them.
create table if not exists iam.signing_keys (
  tenant_id      uuid not null check (tenant_id = '00000000-0000-7000-8000-000000000001'),
  id             uuid not null,
  status         text not null check (status in ('next', 'current', 'retired')),
  public_jwk     jsonb not null,
  sealed_private bytea not null,
  created_at     timestamptz not null,
  activated_at   timestamptz,
  retired_at     timestamptz,
  primary key (tenant_id, id)
);
create unique index if not exists ux_signing_keys_status on iam.signing_keys (tenant_id, status) where status <> 'retired';
select app.protect('iam.signing_keys');

create table if not exists iam.security_log (
  tenant_id    uuid not null,
  id           uuid not null,
  at           timestamptz not null,
  event        text not null check (event ~ '^[a-z_]+(\.[a-z_]+)+$'),
  operator_id  uuid,
  actor        text not null,
  session_id   uuid,
  device_id    uuid,
  address_hash text,
  details      jsonb not null default '{}',
  primary key (tenant_id, id)
);
create index if not exists ix_security_log_operator on iam.security_log (tenant_id, operator_id, id);
select app.protect('iam.security_log');
select app.append_only('iam.security_log');

select app.add_idempotency('iam');

-- Sweeps and key rotation run as jobs of this service.
select jobs.admit('iam');
