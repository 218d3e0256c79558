import { sql } from '@ghasi/db/drizzle';
import {
  at,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
} from '@ghasi/db/drizzle-tables';
import type { Role } from '@melmastoon/tenant-service/contract';
import type { JWK } from 'jose';
import { type RevokedReason, tokenStates } from '../model.ts';
import { operators } from './accounts.ts';
import { bytes, deviceId, id, operatorId, schema, sessionId, tenant } from './columns.ts';

/** Computers of the hotel, by the key each of them holds. */
export const devices = schema.table(
  'devices',
  {
    tenant_id: tenant(),
    id: deviceId().notNull(),
    name: text().notNull(),
    public_jwk: jsonb().$type<JWK>().notNull(),
    thumbprint: text().notNull(),
    paired_by: operatorId().notNull(),
    paired_at: at('paired_at').notNull(),
    revoked_at: at('revoked_at'),
    version: integer().notNull().default(1),
  },
  t => [
    primaryKey({ name: 'devices_pkey', columns: [t.tenant_id, t.id] }),
    foreignKey({
      name: 'devices_tenant_id_paired_by_fkey',
      columns: [t.tenant_id, t.paired_by],
      foreignColumns: [operators.tenant_id, operators.id],
    }),
    uniqueIndex('ux_devices_key').on(t.tenant_id, t.thumbprint).where(sql`revoked_at is null`),
  ],
);

/** Codes with which a device is paired, each once; their hashes only. */
export const devicePairings = schema.table(
  'device_pairings',
  {
    tenant_id: tenant(),
    id: id('pai')().notNull(),
    code_hash: bytes().notNull(),
    device_name: text().notNull(),
    created_by: operatorId().notNull(),
    created_at: at('created_at').notNull(),
    expires_at: at('expires_at').notNull(),
    used_at: at('used_at'),
  },
  t => [
    primaryKey({ name: 'device_pairings_pkey', columns: [t.tenant_id, t.id] }),
    foreignKey({
      name: 'device_pairings_tenant_id_created_by_fkey',
      columns: [t.tenant_id, t.created_by],
      foreignColumns: [operators.tenant_id, operators.id],
    }),
    uniqueIndex('ux_device_pairings_code').on(t.tenant_id, t.code_hash),
    index('ix_device_pairings_expiry').on(t.expires_at),
  ],
);

/** Nonces of device proofs: the primary key is what makes each of them work once. */
export const deviceNonces = schema.table(
  'device_nonces',
  {
    tenant_id: tenant(),
    device_id: deviceId().notNull(),
    nonce: text().notNull(),
    expires_at: at('expires_at').notNull(),
  },
  t => [
    primaryKey({ name: 'device_nonces_pkey', columns: [t.tenant_id, t.device_id, t.nonce] }),
    index('ix_device_nonces_expiry').on(t.expires_at),
  ],
);

/** Who is in, from where, and until when. */
export const sessions = schema.table(
  'sessions',
  {
    tenant_id: tenant(),
    id: sessionId().notNull(),
    operator_id: operatorId().notNull(),
    device_id: deviceId(),
    amr: text().array().notNull(),
    acting_role: text().$type<Role>(),
    created_at: at('created_at').notNull(),
    idle_expires_at: at('idle_expires_at').notNull(),
    expires_at: at('expires_at').notNull(),
    revoked_at: at('revoked_at'),
    revoked_reason: text().$type<RevokedReason>(),
    version: integer().notNull().default(1),
  },
  t => [
    primaryKey({ name: 'sessions_pkey', columns: [t.tenant_id, t.id] }),
    foreignKey({
      name: 'sessions_tenant_id_operator_id_fkey',
      columns: [t.tenant_id, t.operator_id],
      foreignColumns: [operators.tenant_id, operators.id],
    }),
    foreignKey({
      name: 'sessions_tenant_id_device_id_fkey',
      columns: [t.tenant_id, t.device_id],
      foreignColumns: [devices.tenant_id, devices.id],
    }),
    index('ix_sessions_live_operator').on(t.tenant_id, t.operator_id).where(sql`revoked_at is null`),
    index('ix_sessions_live_device').on(t.tenant_id, t.device_id).where(sql`revoked_at is null`),
    index('ix_sessions_expiry').on(t.expires_at),
  ],
);

/** All refresh tokens of a session are one family, and one of them is current. */
export const refreshTokens = schema.table(
  'refresh_tokens',
  {
    tenant_id: tenant(),
    token_hash: bytes().notNull(),
    session_id: sessionId().notNull(),
    sequence: integer().notNull(),
    state: text({ enum: tokenStates }).notNull(),
    created_at: at('created_at').notNull(),
  },
  t => [
    primaryKey({ name: 'refresh_tokens_pkey', columns: [t.tenant_id, t.token_hash] }),
    foreignKey({
      name: 'refresh_tokens_tenant_id_session_id_fkey',
      columns: [t.tenant_id, t.session_id],
      foreignColumns: [sessions.tenant_id, sessions.id],
    }).onDelete('cascade'),
    uniqueIndex('ux_refresh_tokens_sequence').on(t.tenant_id, t.session_id, t.sequence),
    uniqueIndex('ux_refresh_tokens_current').on(t.tenant_id, t.session_id).where(sql`state = 'current'`),
  ],
);

/** What access tokens are signed with: the installation's, so all rows are the platform's. */
export const signingKeys = schema.table(
  'signing_keys',
  {
    tenant_id: tenant(),
    id: id('sgk')().notNull(),
    status: text({ enum: ['next', 'current', 'retired'] }).notNull(),
    public_jwk: jsonb().$type<JWK>().notNull(),
    sealed_private: bytes().notNull(),
    created_at: at('created_at').notNull(),
    activated_at: at('activated_at'),
    retired_at: at('retired_at'),
  },
  t => [
    primaryKey({ name: 'signing_keys_pkey', columns: [t.tenant_id, t.id] }),
    uniqueIndex('ux_signing_keys_status').on(t.tenant_id, t.status).where(sql`status <> 'retired'`),
  ],
);
