/** The schema of a service: `lock-integration-service` lives in `lock_integration`. */
export function schemaOfService(service: string): string {
  return service.replace(/-service$/, '').replaceAll('-', '_');
}
