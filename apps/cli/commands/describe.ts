import type { Service } from '@ghasi/backbone/define-service';
import { routeTable } from '@ghasi/http/route-table';
import { serverErrors } from '@melmastoon/server/errors';
import { table } from './table.ts';
import { describedServices } from './with-database.ts';

/** Flags of `melm describe`. */
export type DescribeFlags = { json?: boolean };

/** Prints what the services own, say, hear, answer, need and run; starts nothing. */
export function describe(name: string | undefined, flags: DescribeFlags): void {
  const all = describedServices();
  const services =
    name === undefined ? all : all.filter(service => service.name === name || service.schema === name);
  if (services.length === 0)
    throw serverErrors.NO_SUCH_SERVICE({
      name: name ?? '',
      known: all.map(service => service.name).join(', '),
    });
  console.log(flags.json ? JSON.stringify(services.map(asData)) : services.map(asText).join('\n\n'));
}

function asData(service: Service) {
  return {
    name: service.name,
    schema: service.schema,
    tables: Object.keys(service.tables),
    routes: routeTable([service]),
    jobs: [...service.jobs, ...service.schedules.map(({ job }) => job)].map(({ name, queue }) => ({
      name,
      queue,
    })),
    publishes: service.publishes.map(({ subject, summary, retention }) => ({ subject, summary, retention })),
    reacts: service.reacts.map(({ event }) => event.subject),
    delivery: service.delivery,
    answers: service.answers.map(({ question }) => question.name),
    needs: service.needs.map(({ name }) => name),
    errors: service.errors.map(({ code, status }) => ({ code, status })),
  };
}

function asText(service: Service): string {
  const data = asData(service);
  const routes = data.routes.map(({ method, path, auth, roles, idempotency, rateLimit }) => ({
    method,
    path,
    auth,
    roles: roles.join(' '),
    idempotency: idempotency === 'key' ? 'key' : '',
    'rate limit': rateLimit ?? '',
  }));
  const { concurrency, order } = data.delivery;
  return [
    `${data.name} (schema ${data.schema})`,
    `  says     ${data.publishes.map(({ subject }) => subject).join(', ') || '-'}`,
    `  hears    ${data.reacts.join(', ') || '-'}${data.reacts.length > 0 ? ` [${concurrency} at once, order ${order}]` : ''}`,
    `  answers  ${data.answers.join(', ') || '-'}`,
    `  needs    ${data.needs.join(', ') || '-'}`,
    `  jobs     ${data.jobs.map(job => `${job.name} [${job.queue}]`).join(', ') || '-'}`,
    `  tables   ${data.tables.join(', ') || '-'}`,
    ...(routes.length > 0 ? ['', table(routes)] : []),
  ].join('\n');
}
