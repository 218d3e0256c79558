import { everyEvent } from './every-service.ts';
import { type Page, table } from './generator.ts';

/** All subjects with their owner, meaning and retention class. */
export const eventsPage: Page = {
  path: 'docs/reference/events.md',
  title: 'Events',
  source: 'the `contract.ts` of every service',
  async make() {
    const events = await everyEvent();
    const rows = events.map(event => [
      `\`${event.subject}\``,
      `[${event.owner}](../../services/${event.owner}/EVENT_SCHEMAS.md)`,
      event.summary,
      event.retention,
      [
        event.crossTenant && 'crosses tenants',
        event.platform && 'also the platform’s',
        event.aiProvenance && 'names its model',
      ]
        .filter(note => typeof note === 'string')
        .join(', '),
    ]);
    const head = ['Subject', 'Owner', 'What happened', 'Class', 'Notes'];
    return `${introduction}\n\n${events.length} subjects.\n\n${table(head, rows)}`;
  },
};

const introduction = [
  'The subject is also the topic. Only its owner publishes it; the link leads to its payload. Class says how long a',
  'warehouse is to keep it after the 7 days on the broker: `hot` 30 days, `warm` 365 days, `cold` 7 years. No warehouse is',
  'built ([0028](../decisions/0028-what-the-wire-promises.md)): today an event leaves with the log after 7 days, whatever its class. The same',
  'as a machine-readable document: [asyncapi.yaml](asyncapi.yaml); who hears whom: [service map](service-map.md).',
].join('\n');
