import { coreErrors } from './errors.ts';
import { idPrefixes, type Prefix } from './naming.ts';
import { isUlid, isUuid, type Uuid, ulidFromUuid, uuid7, uuidFromUlid } from './uuid.ts';

declare const idBrand: unique symbol;
declare const tenantBrand: unique symbol;

/** An id as the outside sees it: `rsv_` and the ULID text of the uuid that is stored. One id has one text. */
export type Id<P extends Prefix> = `${P}_${string}` & { readonly [idBrand]: P };

/** A tenant: a bare uuid without prefix. */
export type TenantId = Uuid & { readonly [tenantBrand]: true };

/** Owner of rows that belong to no tenant. Not the nil uuid: a zeroed variable must not be the platform. */
export const PLATFORM_TENANT_ID = '00000000-0000-7000-8000-000000000001' as TenantId;

/** Makes an id; ids of one process sort in the order they were made. */
export function newId<P extends Prefix>(prefix: P, nowMs?: number): Id<P> {
  return idFromUuid(prefix, uuid7(nowMs));
}

/** The external form of a stored uuid. */
export function idFromUuid<P extends Prefix>(prefix: P, uuid: string): Id<P> {
  return `${prefix}_${ulidFromUuid(uuid)}` as Id<P>;
}

/** The uuid to store for an id. */
export function idToUuid<P extends Prefix>(id: Id<P>): Uuid {
  return uuidFromUlid(id.slice(id.indexOf('_') + 1));
}

/** True when the text is exactly an id of this prefix. */
export function isId<P extends Prefix>(prefix: P, text: unknown): text is Id<P> {
  return typeof text === 'string' && text.startsWith(`${prefix}_`) && isUlid(text.slice(prefix.length + 1));
}

/** Reads an id from outside; anything but the one canonical text is MALFORMED_ID and says why. */
export function parseId<P extends Prefix>(prefix: P, text: unknown): Id<P> {
  if (isId(prefix, text)) return text;
  throw coreErrors.MALFORMED_ID({ expected: idPrefixes[prefix], reason: whyNotId(prefix, text), prefix });
}

function whyNotId(prefix: Prefix, text: unknown): string {
  if (typeof text !== 'string') return `expected text, got ${text === null ? 'null' : typeof text}`;
  if (!text.startsWith(`${prefix}_`)) return `it must start with ${prefix}_`;
  const ulid = text.slice(prefix.length + 1);
  if (ulid.length !== 26) return `expected 26 characters after ${prefix}_, got ${ulid.length}`;
  if (isUlid(ulid.toUpperCase())) return 'it must be upper case after the prefix';
  if (/^[8-9A-Z]/.test(ulid)) return `the first character after ${prefix}_ must be 0 to 7`;
  return 'only 0-9 and A-Z without I, L, O, U may follow the prefix';
}

/** True when the text is a tenant id. */
export function isTenantId(text: unknown): text is TenantId {
  return isUuid(text);
}

/** Reads a tenant id from outside: canonical lower-case uuid text, or MALFORMED_ID. */
export function parseTenantId(text: unknown): TenantId {
  if (isTenantId(text)) return text;
  throw coreErrors.MALFORMED_ID({ expected: 'tenant', reason: 'it must be a lower-case uuid with hyphens' });
}
