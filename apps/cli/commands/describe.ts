import type { Service } from '@ghasi/backbone/define-service';
import { versionsOf } from '@ghasi/backbone/read-delivery';
import { topologyProblems } from '@ghasi/backbone/topology';
import { routeTable } from '@ghasi/http/route-table';
import { cliErrors } from '../errors.ts';
import { table } from './table.ts';
import { describedServices } from './with-database.ts';

/** Flags of `melm describe`. */
export type DescribeFlags = { json?: boolean };

/** Prints what the services own, say and to whom, hear, answer, need and run; starts nothing. */
export function describe(name: string | undefined, flags: DescribeFlags): void {
  const { text, data, problems } = description(describedServices(), name);
  console.log(flags.json ? JSON.stringify(data) : text);
  if (problems.length > 0) process.exitCode = 1;
}

/** What is said about services, all or one of them. Problems are looked for in all, and told of those chosen. */
export function description(all: readonly Service[], name?: string) {
  const chosen =
    name === undefined ? all : all.filter(service => service.name === name || service.schema === name);
  if (chosen.length === 0)
    throw cliErrors.UNKNOWN_SERVICE({
      name: name ?? '',
      known: all.map(service => service.name),
    });
  const isOf = (service: Service) => (problem: string) => problem.split(/[ ,:]+/).includes(service.name);
  const problems = topologyProblems(all).filter(problem => chosen.some(service => isOf(service)(problem)));
  const data = chosen.map(service => ({
    ...asData(service, all),
    problems: problems.filter(isOf(service)),
  }));
  const wrong = problems.map(problem => `✗ ${problem}`).join('\n');
  return { data, problems, text: [...data.map(asText), ...(wrong === '' ? [] : [wrong])].join('\n\n') };
}

function asData(service: Service, all: readonly Service[]) {
  const hearersOf = (subject: string) =>
    all
      .filter(({ reacts }) =>
        reacts.some(({ event }) => versionsOf(event).some(version => version.subject === subject)),
      )
      .map(({ name }) => name);
  return {
    name: service.name,
    schema: service.schema,
    tables: Object.keys(service.tables),
    routes: routeTable([service]),
    jobs: [...service.jobs, ...service.schedules.map(({ job }) => job)].map(({ name, queue }) => ({
      name,
      queue,
    })),
    publishes: service.publishes.map(({ subject, summary, retention }) => ({
      subject,
      summary,
      retention,
      hearers: hearersOf(subject),
    })),
    reacts: service.reacts.map(({ event }) => event.subject),
    delivery: service.delivery,
    answers: service.answers.map(({ question }) => question.name),
    needs: service.needs.map(({ name }) => name),
    errors: service.errors.map(({ code, status }) => ({ code, status })),
  };
}

function asText(data: ReturnType<typeof asData>): string {
  const routes = data.routes.map(({ method, path, auth, roles, idempotency, rateLimit }) => ({
    method,
    path,
    auth,
    roles: roles.join(' '),
    idempotency: idempotency === 'key' ? 'key' : '',
    'rate limit': rateLimit ?? '',
  }));
  const { concurrency, order } = data.delivery;
  const says = data.publishes.map(({ subject, hearers }) => `${subject} → ${hearers.join(', ') || 'nobody'}`);
  const hears = [
    ...data.reacts,
    ...(data.reacts.length > 0 ? [`[${concurrency} at once, order ${order}]`] : []),
  ];
  return [
    `${data.name} (schema ${data.schema})`,
    `  owns     ${data.tables.join(', ') || '-'}`,
    `  says     ${underEachOther(says)}`,
    `  hears    ${underEachOther(hears)}`,
    `  answers  ${data.answers.join(', ') || '-'}`,
    `  needs    ${data.needs.join(', ') || '-'}`,
    `  runs     ${data.jobs.map(job => `${job.name} [${job.queue}]`).join(', ') || '-'}`,
    ...(routes.length > 0 ? ['', table(routes)] : []),
  ].join('\n');
}

function underEachOther(lines: readonly string[]): string {
  return lines.join(`\n${' '.repeat(11)}`) || '-';
}
