import type { Service } from '@ghasi/backbone/define-service';
import { allTopicReaders, sink } from '@melmastoon/catalog/all-topic-readers';
import { everyService } from './every-service.ts';
import { type Page, table } from './generator.ts';
import { topicShort } from './pubsub/subscriptions.ts';

/** Who publishes, who hears, who asks. */
export const serviceMap: Page = {
  path: 'docs/reference/service-map.md',
  title: 'Service map',
  source: 'the `service.ts` of every service',
  make: async () => serviceMapBody(await everyService()),
};

/** The page's body; exported for its test. */
export function serviceMapBody(services: readonly Service[]): string {
  const events = services.flatMap(({ publishes }) => publishes).length;
  const rows = services.map(service => [
    `[${service.name}](../../services/${service.name}/README.md)`,
    String(service.publishes.length),
    heardBy(service, events).join(', '),
    service.needs.map(({ name }) => `\`${name}\``).join(', '),
    `${service.delivery.mode}, ${service.delivery.instances} × ${service.delivery.concurrency}, order ${service.delivery.order}`,
  ]);
  const head = [
    'Service',
    'Publishes',
    'Hears',
    'Asks',
    'Delivery (mode, instances × batches, order of a key)',
  ];
  return `${introduction}\n\n\`\`\`mermaid\n${drawing(services)}\n\`\`\`\n\n${table(head, rows)}`;
}

const introduction = [
  'Solid arrows are events, from the publisher to the one that hears them; dotted arrows are questions inside a request, at',
  `most two in a row. Not drawn: ${readersOfAll(false)} hears nearly every event; ${readersOfAll(true)} and \`${sink}\` are`,
  'planned to. What the events are: [events](events.md).',
].join('\n');

function readersOfAll(planned: boolean): string {
  const readers = allTopicReaders.filter(one => (one.planned ?? false) === planned);
  return readers.map(({ reader }) => `\`${reader}\``).join(' and ');
}

function drawing(services: readonly Service[]): string {
  const owner = new Map(
    services.flatMap(({ name, publishes }) => publishes.map(({ subject }) => [subject, name])),
  );
  const answering = new Map(
    services.flatMap(({ name, answers }) => answers.map(a => [a.question.name, name])),
  );
  const id = (name: string) => name.replace(/-service$/, '').replaceAll('-', '_');
  const hearsAll = new Set<string>([sink, ...allTopicReaders.map(({ reader }) => reader)]);
  const lines = services.flatMap(({ name, reacts, needs }) => [
    ...[
      ...Map.groupBy(
        hearsAll.has(name) ? [] : reacts,
        ({ event }) => owner.get(event.subject) ?? event.owner,
      ),
    ].map(
      ([from, heard]) =>
        `  ${id(from)} -->|"${labels(heard.map(({ event }) => event)).join('<br>')}"| ${id(name)}`,
    ),
    ...needs.map(
      question =>
        `  ${id(name)} -.->|"${question.name}"| ${id(answering.get(question.name) ?? question.name)}`,
    ),
  ]);
  const nodes = services.map(
    ({ name, publishes }) =>
      `  ${id(name)}["${name.replace(/-service$/, '')}<br>${counted(publishes.length)}"]`,
  );
  return ['flowchart LR', ...nodes, ...lines].join('\n');
}

function counted(events: number): string {
  return events === 1 ? '1 event' : `${events} events`;
}

function labels(events: readonly { aggregate: string; verb: string }[]): string[] {
  return [...new Set(events.map(({ aggregate, verb }) => `${aggregate}.${verb}`))];
}

function heardBy({ name, reacts }: Service, events: number): string[] {
  const all = allTopicReaders.find(({ reader }) => reader === name);
  const own = [...new Set(reacts.map(({ event }) => `\`${topicShort(event.subject)}\``))];
  if (all === undefined) return own;
  return [all.planned ? `planned: everything but \`${all.except}.*\`` : `${own.length} of ${events} events`];
}
