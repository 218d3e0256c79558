/**
 * Subjects that may belong to the platform instead of a tenant, and why (X-027, XT-08). Such an event is outside every
 * tenant's isolation: a new line needs review, and the whole list is read again every quarter.
 */
export const platformSubjects = {
  'melmastoon.iam.user.created.v1': 'accounts of platform staff live in the platform’s own tenant',
  'melmastoon.iam.session.issued.v1': 'platform staff sign in to the platform’s own tenant',
  'melmastoon.iam.session.revoked.v1': 'sessions of platform staff end in the platform’s own tenant',
  'melmastoon.iam.mfa.enrolled.v1': 'second factors of platform staff live in the platform’s own tenant',
  'melmastoon.iam.device.bound.v1': 'devices of platform staff are paired in the platform’s own tenant',
  'melmastoon.iam.device.unbound.v1': 'devices of platform staff are unpaired in the platform’s own tenant',
  'melmastoon.tenant.role.granted.v1': 'platform staff get their roles in the platform’s own tenant',
  'melmastoon.tenant.settings.changed.v1':
    'the platform’s own tenant has a name and settings like every other',
} as const;
