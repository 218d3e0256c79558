/** The schema of a service: `lock-integration-service` lives in `lock_integration`. */
export function schemaOfService(service: string): string {
  return service.replace(/-service$/, '').replaceAll('-', '_');
}

/** Under which name a service claims an event: `inventory-service.booking-confirmed` (INBOX-04). */
export function consumerOf(service: string, topic: string): string {
  const [verb = '', aggregate = ''] = topic
    .replace(/\.v\d+$/, '')
    .split('.')
    .reverse();
  return `${service}.${aggregate}-${verb}`.replaceAll('_', '-');
}
