import type { Service } from './define-service.ts';
import { versionsOf } from './read-delivery.ts';

/** Everything wrong with a set of services, in words; empty when they fit together. */
export function topologyProblems(
  services: readonly Service[],
  options: {
    answeredElsewhere?: (schema: string) => boolean;
    /** Subjects that services of other processes publish. Default: none. */
    publishedElsewhere?: (subject: string) => boolean;
  } = {},
): string[] {
  const answered = new Set(services.flatMap(service => service.answers.map(({ question }) => question.name)));
  const elsewhere = options.answeredElsewhere ?? (() => false);
  return [
    ...twice(services, service => [service.name], 'service name'),
    ...twice(services, service => [service.schema], 'schema'),
    // Operators' commands know a subscription by the service's name: what they quarantine, its inbox must hear of (DLQ-16).
    ...services
      .filter(({ name, schema }) => name !== `${schema.replaceAll('_', '-')}-service`)
      .map(({ name, schema }) => `${name} is not named after its schema, which is ${schema}`),
    ...twice(services, service => service.routes.map(routeShape), 'route'),
    ...twice(
      services,
      service => [...service.jobs, ...service.schedules.map(({ job }) => job)].map(job => job.name),
      'job',
    ),
    ...twice(services, service => service.answers.map(({ question }) => question.name), 'answer'),
    ...eventProblems(services, options.publishedElsewhere ?? (() => false)),
    ...services.flatMap(service =>
      service.answers
        .filter(({ question }) => !question.name.startsWith(`${service.schema}.`))
        .map(
          ({ question }) => `${service.name} answers ${question.name}, which is not named after its schema`,
        ),
    ),
    ...services.flatMap(service =>
      service.needs
        .filter(({ name }) => !answered.has(name) && !elsewhere(name.slice(0, name.indexOf('.'))))
        .map(({ name }) => `${service.name} needs ${name}, and nobody answers it`),
    ),
  ];
}

/** One producer per event, its owner; every reaction has somebody who publishes; one reaction per event and service. */
function eventProblems(
  services: readonly Service[],
  publishedElsewhere: (subject: string) => boolean,
): string[] {
  const published = new Set(services.flatMap(service => service.publishes.map(({ subject }) => subject)));
  return [
    ...twice(services, service => service.publishes.map(({ subject }) => subject), 'event'),
    ...services.flatMap(({ name, publishes }) =>
      publishes
        .filter(({ owner }) => owner !== name)
        .map(({ subject, owner }) => `${name} publishes ${subject}, which belongs to ${owner}`),
    ),
    ...services.flatMap(({ name, reacts }) =>
      reacts
        .filter(({ event }) => !published.has(event.subject) && !publishedElsewhere(event.subject))
        .map(({ event }) => `${name} reacts to ${event.subject}, and nobody publishes it`),
    ),
    ...services.flatMap(({ name, reacts }) => {
      const topics = reacts.flatMap(({ event }) => versionsOf(event).map(({ subject }) => subject));
      return [...new Set(topics.filter((topic, place) => topics.indexOf(topic) !== place))].map(
        topic => `${name} reacts to ${topic} more than once`,
      );
    }),
  ];
}

/** Two paths that differ only in the names of their parameters are the same route. */
function routeShape(route: Service['routes'][number]): string {
  return `${route.method} ${route.path.replaceAll(/:[^/]+/g, ':')}`;
}

function twice(
  services: readonly Service[],
  namesOf: (service: Service) => readonly string[],
  what: string,
): string[] {
  const owners = new Map<string, string[]>();
  for (const service of services) {
    for (const name of namesOf(service)) owners.set(name, [...(owners.get(name) ?? []), service.name]);
  }
  return [...owners]
    .filter(([, of]) => of.length > 1)
    .map(([name, of]) => `${what} ${name} is declared ${of.length} times: ${of.join(', ')}`);
}
