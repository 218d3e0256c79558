import { bigint, customType, integer, jsonb, pgSchema, text, timestamp } from '@ghasi/db/drizzle-tables';
import { type Id, idFromUuid, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import type { Prefix } from '@ghasi/domain-primitives/naming';
import type { Role } from '@melmastoon/tenant-service/contract';
import type { JWK } from 'jose';
import type { AttemptKind, Factor, OperatorStatus, RevokedReason, TokenState } from './model.ts';

/** A uuid in the database, `ses_01J8…` in the code. */
const id = <P extends Prefix>(prefix: P) =>
  customType<{ data: Id<P>; driverData: string }>({
    dataType: () => 'uuid',
    toDriver: idToUuid,
    fromDriver: uuid => idFromUuid(prefix, uuid),
  });

const tenantId = customType<{ data: TenantId; driverData: string }>({ dataType: () => 'uuid' });
const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });
const instant = () => timestamp({ withTimezone: true, mode: 'date' });
const operatorId = id('usr');
const sessionId = id('ses');
const deviceId = id('dev');
const tenant = () => tenantId().notNull();

const iam = pgSchema('iam');

export const operators = iam.table('operators', {
  tenant_id: tenant(),
  id: operatorId().notNull(),
  email: text().notNull(),
  name: text().notNull(),
  status: text().$type<OperatorStatus>().notNull(),
  password_hash: text(),
  password_changed_at: instant(),
  version: integer().notNull().default(1),
  created_at: instant().notNull(),
  updated_at: instant().notNull(),
});

export const passwordLinks = iam.table('password_links', {
  tenant_id: tenant(),
  token_hash: bytes().notNull(),
  operator_id: operatorId().notNull(),
  purpose: text().$type<'invite' | 'reset'>().notNull(),
  created_at: instant().notNull(),
  expires_at: instant().notNull(),
  used_at: instant(),
});

export const devices = iam.table('devices', {
  tenant_id: tenant(),
  id: deviceId().notNull(),
  name: text().notNull(),
  public_jwk: jsonb().$type<JWK>().notNull(),
  thumbprint: text().notNull(),
  paired_by: operatorId().notNull(),
  paired_at: instant().notNull(),
  revoked_at: instant(),
  version: integer().notNull().default(1),
});

export const devicePairings = iam.table('device_pairings', {
  tenant_id: tenant(),
  id: id('pai')().notNull(),
  code_hash: bytes().notNull(),
  device_name: text().notNull(),
  created_by: operatorId().notNull(),
  created_at: instant().notNull(),
  expires_at: instant().notNull(),
  used_at: instant(),
});

export const deviceNonces = iam.table('device_nonces', {
  tenant_id: tenant(),
  device_id: deviceId().notNull(),
  nonce: text().notNull(),
  expires_at: instant().notNull(),
});

export const sessions = iam.table('sessions', {
  tenant_id: tenant(),
  id: sessionId().notNull(),
  operator_id: operatorId().notNull(),
  device_id: deviceId(),
  amr: text().array().notNull(),
  acting_role: text().$type<Role>(),
  created_at: instant().notNull(),
  idle_expires_at: instant().notNull(),
  expires_at: instant().notNull(),
  revoked_at: instant(),
  revoked_reason: text().$type<RevokedReason>(),
  version: integer().notNull().default(1),
});

export const refreshTokens = iam.table('refresh_tokens', {
  tenant_id: tenant(),
  token_hash: bytes().notNull(),
  session_id: sessionId().notNull(),
  sequence: integer().notNull(),
  state: text().$type<TokenState>().notNull(),
  created_at: instant().notNull(),
});

export const factors = iam.table('factors', {
  tenant_id: tenant(),
  id: id('fac')().notNull(),
  operator_id: operatorId().notNull(),
  kind: text().$type<Factor>().notNull(),
  label: text().notNull(),
  status: text().$type<'pending' | 'active'>().notNull(),
  sealed_secret: bytes(),
  last_step: bigint({ mode: 'bigint' }),
  credential_id: text(),
  public_key: bytes(),
  sign_count: bigint({ mode: 'bigint' }),
  transports: text().array(),
  created_at: instant().notNull(),
  confirmed_at: instant(),
  version: integer().notNull().default(1),
});

export const recoveryCodes = iam.table('recovery_codes', {
  tenant_id: tenant(),
  operator_id: operatorId().notNull(),
  code_hash: bytes().notNull(),
  created_at: instant().notNull(),
  used_at: instant(),
});

export const challenges = iam.table('challenges', {
  tenant_id: tenant(),
  id: id('chl')().notNull(),
  purpose: text().$type<'sign_in' | 'register' | 'step_up'>().notNull(),
  operator_id: operatorId().notNull(),
  session_id: sessionId(),
  device_id: deviceId(),
  token_hash: bytes(),
  webauthn_challenge: text(),
  action: text(),
  amount_minor: bigint({ mode: 'bigint' }),
  currency: text(),
  resource: text(),
  failures: integer().notNull().default(0),
  created_at: instant().notNull(),
  expires_at: instant().notNull(),
  consumed_at: instant(),
});

export const attestations = iam.table('attestations', {
  tenant_id: tenant(),
  id: id('mfa')().notNull(),
  operator_id: operatorId().notNull(),
  session_id: sessionId().notNull(),
  action: text().notNull(),
  amount_minor: bigint({ mode: 'bigint' }),
  currency: text(),
  resource: text(),
  method: text().$type<Factor>().notNull(),
  created_at: instant().notNull(),
  expires_at: instant().notNull(),
  consumed_at: instant(),
});

export const attempts = iam.table('attempts', {
  tenant_id: tenant(),
  kind: text().$type<AttemptKind>().notNull(),
  subject: bytes().notNull(),
  failures: integer().notNull(),
  last_at: instant().notNull(),
  blocked_until: instant(),
});

export const signingKeys = iam.table('signing_keys', {
  tenant_id: tenant(),
  id: id('sgk')().notNull(),
  status: text().$type<'next' | 'current' | 'retired'>().notNull(),
  public_jwk: jsonb().$type<JWK>().notNull(),
  sealed_private: bytes().notNull(),
  created_at: instant().notNull(),
  activated_at: instant(),
  retired_at: instant(),
});

export const securityLog = iam.table('security_log', {
  tenant_id: tenant(),
  id: id('slg')().notNull(),
  at: instant().notNull(),
  event: text().notNull(),
  operator_id: operatorId(),
  actor: text().notNull(),
  session_id: sessionId(),
  device_id: deviceId(),
  address_hash: text(),
  details: jsonb().$type<Record<string, string | number | boolean>>().notNull().default({}),
});
