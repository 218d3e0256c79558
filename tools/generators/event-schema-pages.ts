import type { EventType } from '@ghasi/event-envelope/define-event';
import { payloadSchema, schemaPath, schemaUri } from '@ghasi/event-envelope/schema-uri';
import { everyService } from './every-service.ts';
import { type FileSet, table, withHeader } from './generator.ts';
import { schemaFields } from './schema-fields.ts';

/** PATH-08: what each service publishes, field by field. */
export const eventSchemaPages: FileSet = {
  name: 'services/*/EVENT_SCHEMAS.md',
  owns: path => /^services\/[^/]+\/EVENT_SCHEMAS\.md$/.test(path),
  async makeAll() {
    const services = await everyService();
    return new Map(
      services.map(({ name, publishes }): [string, string] => {
        const title = `Events of ${name}`;
        const body = publishes.length === 0 ? 'It publishes nothing.' : publishes.map(sectionOf).join('\n\n');
        return [`services/${name}/EVENT_SCHEMAS.md`, withHeader({ title, source: 'its contract' }, body)];
      }),
    );
  },
};

function sectionOf(event: EventType): string {
  const facts = [
    `${capital(event.summary)}. Class \`${event.retention}\`.`,
    event.crossTenant ? 'May be read across tenants.' : '',
    event.platform ? 'May belong to the platform instead of a tenant.' : '',
    event.aiProvenance ? 'Its metadata says which model made it.' : '',
    event.replaces === undefined ? '' : `Replaces \`${event.replaces.event.subject}\`.`,
  ].filter(fact => fact !== '');
  const rows = schemaFields(payloadSchema(event)).map(({ path, holds, optional }) => [
    `\`${path}\``,
    holds,
    optional,
  ]);
  const file = schemaPath(event);
  return [
    `## ${event.subject}`,
    facts.join(' '),
    table(['Field', 'Holds', ''], rows),
    `[${file}](../../${file}), \`${schemaUri(event).split('#')[1]}\``,
  ].join('\n\n');
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
