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
  rty: 'room type',
  rom: 'room',
  tlb: 'telemetry batch',
  rsv: 'reservation', // TB-05
  brm: 'booked room',
  gst: 'guest',
  pay: 'payment',

  // billing and payment-gateway-service
  fol: 'folio',
  fln: 'folio line',
  inv: 'invoice',
  rfd: 'refund',

  // lock-integration-service
  key: 'key credential',
  lck: 'lock device',

  // notification, file-storage, reporting, analytics, audit, sync
  msg: 'message',
  fil: 'file',
  rep: 'report',
  snp: 'analytics snapshot',
  aud: 'audit entry',
  anc: 'Merkle anchor',
  cfl: 'sync conflict',

  // ai-orchestrator-service
  cmp: 'AI completion',
  inf: 'AI inference',
  ano: 'anomaly',
  hdc: 'human decision',

  // inventory-service
  alc: 'allocation',
  sps: 'stop-sell',
  rbl: 'room block',
  cfd: 'calendar feed',
  cal: 'published calendar',

  // pricing-service
  rpl: 'rate plan',
  rcl: 'rate calendar',
  quo: 'quote',
  pdl: 'price delta',
  pol: 'booking policy',

  // housekeeping-service; `pur` is a stock lot
  hkt: 'housekeeping task',
  rms: 'room status',
  rnd: 'service round',
  prd: 'product',
  cns: 'consumption',
  pur: 'purchase',

  // maintenance-service
  mtk: 'maintenance ticket',

  // theme-config-service
  thm: 'theme',
  thp: 'theme preset',
  cbk: 'content block',

  // staff-service
  shf: 'shift',

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
