/** How long an event is kept: 30 days, 365 days, 7 years (RET-01..03). */
export const retentionClasses = ['hot', 'warm', 'cold'] as const;

/** One of the three classes. */
export type RetentionClass = (typeof retentionClasses)[number];
