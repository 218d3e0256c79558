import { z } from 'zod';
import { eventEnvelope } from './envelope-parts.ts';
import type { JsonSchema } from './schema-uri.ts';

/** JSON Schema of the envelope itself, for `event-schemas/platform/event_envelope/v1.json` (ENV-03, X-013). */
export function envelopeSchema(): JsonSchema {
  return JSON.parse(JSON.stringify(z.toJSONSchema(eventEnvelope, { io: 'input' })));
}
