import { sql } from '@ghasi/db/drizzle';
import {
  at,
  bigint,
  foreignKey,
  index,
  integer,
  jsonb,
  minor,
  primaryKey,
  text,
  uniqueIndex,
} from '@ghasi/db/drizzle-tables';
import { attemptKinds, factorKinds, linkPurposes, operatorStatuses } from '../model.ts';
import { bytes, deviceId, id, operatorId, schema, sessionId, tenant } from './columns.ts';

/** People with an account. */
export const operators = schema.table(
  'operators',
  {
    tenant_id: tenant(),
    id: operatorId().notNull(),
    email: text().notNull(),
    name: text().notNull(),
    status: text({ enum: operatorStatuses }).notNull(),
    password_hash: text(),
    password_changed_at: at('password_changed_at'),
    version: integer().notNull().default(1),
    created_at: at('created_at').notNull(),
    updated_at: at('updated_at').notNull(),
  },
  t => [
    primaryKey({ name: 'operators_pkey', columns: [t.tenant_id, t.id] }),
    uniqueIndex('ux_operators_email').on(t.tenant_id, sql`lower(${t.email})`),
  ],
);

/** One-time links that set a password; the hash of each token only. */
export const passwordLinks = schema.table(
  'password_links',
  {
    tenant_id: tenant(),
    token_hash: bytes().notNull(),
    operator_id: operatorId().notNull(),
    purpose: text({ enum: linkPurposes }).notNull(),
    created_at: at('created_at').notNull(),
    expires_at: at('expires_at').notNull(),
    used_at: at('used_at'),
  },
  t => [
    primaryKey({ name: 'password_links_pkey', columns: [t.tenant_id, t.token_hash] }),
    foreignKey({
      name: 'password_links_tenant_id_operator_id_fkey',
      columns: [t.tenant_id, t.operator_id],
      foreignColumns: [operators.tenant_id, operators.id],
    }),
    index('ix_password_links_operator').on(t.tenant_id, t.operator_id),
    index('ix_password_links_expiry').on(t.expires_at),
  ],
);

/** Second factors; an authenticator app is pending until it has shown a code. */
export const factors = schema.table(
  'factors',
  {
    tenant_id: tenant(),
    id: id('fac')().notNull(),
    operator_id: operatorId().notNull(),
    kind: text({ enum: factorKinds }).notNull(),
    label: text().notNull(),
    status: text({ enum: ['pending', 'active'] }).notNull(),
    sealed_secret: bytes(),
    last_step: bigint({ mode: 'bigint' }),
    credential_id: text(),
    public_key: bytes(),
    sign_count: bigint({ mode: 'bigint' }),
    transports: text().array(),
    created_at: at('created_at').notNull(),
    confirmed_at: at('confirmed_at'),
    version: integer().notNull().default(1),
  },
  t => [
    primaryKey({ name: 'factors_pkey', columns: [t.tenant_id, t.id] }),
    foreignKey({
      name: 'factors_tenant_id_operator_id_fkey',
      columns: [t.tenant_id, t.operator_id],
      foreignColumns: [operators.tenant_id, operators.id],
    }),
    uniqueIndex('ux_factors_totp').on(t.tenant_id, t.operator_id, t.status).where(sql`kind = 'totp'`),
    uniqueIndex('ux_factors_credential').on(t.tenant_id, t.credential_id).where(sql`kind = 'webauthn'`),
    index('ix_factors_operator').on(t.tenant_id, t.operator_id),
  ],
);

/** Codes on paper, each good for one sign-in; their hashes only. */
export const recoveryCodes = schema.table(
  'recovery_codes',
  {
    tenant_id: tenant(),
    operator_id: operatorId().notNull(),
    code_hash: bytes().notNull(),
    created_at: at('created_at').notNull(),
    used_at: at('used_at'),
  },
  t => [
    primaryKey({ name: 'recovery_codes_pkey', columns: [t.tenant_id, t.operator_id, t.code_hash] }),
    foreignKey({
      name: 'recovery_codes_tenant_id_operator_id_fkey',
      columns: [t.tenant_id, t.operator_id],
      foreignColumns: [operators.tenant_id, operators.id],
    }),
  ],
);

/** Something to answer within minutes: a second step, a passkey to register, an action to confirm. */
export const challenges = schema.table(
  'challenges',
  {
    tenant_id: tenant(),
    id: id('chl')().notNull(),
    purpose: text({ enum: ['sign_in', 'register', 'step_up'] }).notNull(),
    operator_id: operatorId().notNull(),
    session_id: sessionId(),
    device_id: deviceId(),
    token_hash: bytes(),
    webauthn_challenge: text(),
    action: text(),
    amount_minor: minor('amount_minor'),
    currency: text(),
    resource: text(),
    failures: integer().notNull().default(0),
    created_at: at('created_at').notNull(),
    expires_at: at('expires_at').notNull(),
    consumed_at: at('consumed_at'),
  },
  t => [
    primaryKey({ name: 'challenges_pkey', columns: [t.tenant_id, t.id] }),
    foreignKey({
      name: 'challenges_tenant_id_operator_id_fkey',
      columns: [t.tenant_id, t.operator_id],
      foreignColumns: [operators.tenant_id, operators.id],
    }),
    index('ix_challenges_expiry').on(t.expires_at),
    uniqueIndex('ux_challenges_token').on(t.tenant_id, t.token_hash).where(sql`token_hash is not null`),
  ],
);

/** Actions that were confirmed with a second factor, each to be used once. */
export const attestations = schema.table(
  'attestations',
  {
    tenant_id: tenant(),
    id: id('mfa')().notNull(),
    operator_id: operatorId().notNull(),
    session_id: sessionId().notNull(),
    action: text().notNull(),
    amount_minor: minor('amount_minor'),
    currency: text(),
    resource: text(),
    method: text({ enum: factorKinds }).notNull(),
    created_at: at('created_at').notNull(),
    expires_at: at('expires_at').notNull(),
    consumed_at: at('consumed_at'),
  },
  t => [
    primaryKey({ name: 'attestations_pkey', columns: [t.tenant_id, t.id] }),
    foreignKey({
      name: 'attestations_tenant_id_operator_id_fkey',
      columns: [t.tenant_id, t.operator_id],
      foreignColumns: [operators.tenant_id, operators.id],
    }),
    index('ix_attestations_expiry').on(t.expires_at),
  ],
);

/** Failures in a row; the subject is a hash, so that nobody reads here which accounts exist. */
export const attempts = schema.table(
  'attempts',
  {
    tenant_id: tenant(),
    kind: text({ enum: attemptKinds }).notNull(),
    subject: bytes().notNull(),
    failures: integer().notNull(),
    last_at: at('last_at').notNull(),
    blocked_until: at('blocked_until'),
  },
  t => [
    primaryKey({ name: 'attempts_pkey', columns: [t.tenant_id, t.kind, t.subject] }),
    index('ix_attempts_last').on(t.last_at),
  ],
);

/** What happened; only grows. */
export const securityLog = schema.table(
  'security_log',
  {
    tenant_id: tenant(),
    id: id('slg')().notNull(),
    at: at('at').notNull(),
    event: text().notNull(),
    operator_id: operatorId(),
    actor: text().notNull(),
    session_id: sessionId(),
    device_id: deviceId(),
    address_hash: text(),
    details: jsonb().$type<Record<string, string | number | boolean>>().notNull().default({}),
  },
  t => [
    primaryKey({ name: 'security_log_pkey', columns: [t.tenant_id, t.id] }),
    index('ix_security_log_operator').on(t.tenant_id, t.operator_id, t.id),
  ],
);
