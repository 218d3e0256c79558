import { envelopeSchema } from '@ghasi/event-envelope/envelope-schema';
import { payloadSchema, schemaPath } from '@ghasi/event-envelope/schema-uri';
import { everyEvent } from './every-service.ts';
import type { FileSet } from './generator.ts';
import { jsonText } from './json-text.ts';

/** REG-01, PATH-06: one JSON Schema per subject; the file holds exactly what the hash of its URI covers. */
export const eventSchemas: FileSet = {
  name: 'event-schemas',
  owns: path => /^event-schemas\/.+\/.+\.json$/.test(path),
  async makeAll() {
    const events = await everyEvent();
    return new Map([
      // ENV-03, X-013: the only schema that belongs to no service
      ['event-schemas/platform/event_envelope/v1.json', jsonText(envelopeSchema())],
      ...events.map((event): [string, string] => [schemaPath(event), jsonText(payloadSchema(event))]),
    ]);
  },
};
