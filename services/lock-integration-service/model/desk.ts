/** When staff hands metal keys over: the check-in says so, or somebody confirms each. */
export const metalKeyRules = ['with_check_in', 'confirmed'] as const;
export type MetalKeyRule = (typeof metalKeyRules)[number];

/** What can be done by hand. */
export const actionNames = [
  'release',
  'encode',
  'replace',
  'suspend',
  'lift',
  'retry',
  'by_hand',
  'pair',
  'unpair',
] as const;
export type ActionName = (typeof actionNames)[number];

/** What of a key can fail at a vendor, as events name it. */
export const operations = ['issue', 'update', 'revoke', 'suspend'] as const;
export type KeyOperation = (typeof operations)[number];
