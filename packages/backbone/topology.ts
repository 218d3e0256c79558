import type { Service } from './define-service.ts';

/** Everything wrong with a set of services, in words; empty when they fit together. */
export function topologyProblems(
  services: readonly Service[],
  options: { answeredElsewhere?: (schema: string) => boolean } = {},
): string[] {
  const answered = new Set(services.flatMap(service => service.answers.map(({ question }) => question.name)));
  const elsewhere = options.answeredElsewhere ?? (() => false);
  return [
    ...twice(services, service => [service.name], 'service name'),
    ...twice(services, service => [service.schema], 'schema'),
    ...twice(services, service => service.routes.map(routeShape), 'route'),
    ...twice(
      services,
      service => [...service.jobs, ...service.schedules.map(({ job }) => job)].map(job => job.name),
      'job',
    ),
    ...twice(services, service => service.answers.map(({ question }) => question.name), 'answer'),
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
