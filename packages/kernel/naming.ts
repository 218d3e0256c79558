/**
 * Every id prefix of the platform and what it names. A prefix is forever: add one here in the same change as its
 * owner, never reuse or rename one. Storage is uuid, except `bha`, which its table keeps as text.
 */
export const idPrefixes = {
  // iam-service
  usr: 'operator',
  ses: 'session',
  rft: 'refresh token',
  dev: 'device',
  pai: 'device pairing',
  fac: 'MFA factor',
  mfa: 'MFA attestation', // BO-11
  chl: 'sign-in challenge',
  apk: 'API key',
  sgk: 'signing key',
  slg: 'security log entry',

  // tenant-service; tenants themselves are bare uuids
  mbr: 'membership',
  rog: 'role grant',
  ivt: 'invitation',

  // property, reservation and payment
  pro: 'property',
  rsv: 'reservation', // TB-05
  pay: 'payment',

  // bff-backoffice-service
  bos: 'backoffice session', // BO-01
  dsh: 'dashboard snapshot', // BO-02
  wbv: 'workbench view', // BO-03
  aim: 'AI suggestion inbox entry', // BO-04
  ali: 'alert inbox entry', // BO-05
  act: 'operator activity', // BO-06
  dsy: 'device sync status', // BO-07
  opr: 'operator preferences', // BO-08
  oaq: 'offline action queue hint', // BO-09
  lap: 'lock action audit', // BO-10
  sdl: 'suggestion decision', // BO-12

  // bff-tenant-booking-service
  bdr: 'booking draft', // TB-01
  bha: 'booking handoff arrival', // TB-02
  bds: 'booking draft snapshot', // TB-03
  tnt: 'booking session', // TB-04: not a tenant

  // the ground
  job: 'job',
  idk: 'idempotency record',
} as const;

/** One of the registered prefixes, without the underscore. */
export type Prefix = keyof typeof idPrefixes;

/** True for a registered prefix. */
export function isPrefix(text: string): text is Prefix {
  return Object.hasOwn(idPrefixes, text);
}
