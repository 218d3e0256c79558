import type { EventType } from '@ghasi/event-envelope/define-event';

/** One row of the table of cross-tenant read paths (XT-06). */
export type CrossTenantPath = {
  readonly subject: string;
  /** The only service that may publish it. */
  readonly owner: string;
  /** Services and sinks that may read it for many tenants at once. */
  readonly readers: readonly string[];
  /** What the readers do with it, and what was removed before. */
  readonly why: string;
};

/** What may leave its tenant. The append path asks it at run time, `npm run ci` asks it of every declaration. */
export type CrossTenantPolicy = {
  readonly paths: readonly CrossTenantPath[];
  /** Why an event may not be published across tenants; undefined when it may, or never leaves its tenant. */
  publishProblem(event: EventType): string | undefined;
  /** Why a reader may not subscribe to an event; undefined when it may. */
  subscribeProblem(event: EventType, reader: string): string | undefined;
};

/** Makes a policy of a table; throws when two rows are about one subject. */
export function crossTenantPolicy(paths: readonly CrossTenantPath[]): CrossTenantPolicy {
  const rows = new Map(paths.map(path => [path.subject, path]));
  if (rows.size < paths.length) throw new TypeError('crossTenantPolicy: two rows are about one subject');

  const publishProblem = ({ subject, owner, crossTenant }: EventType): string | undefined => {
    if (crossTenant !== true) return undefined;
    const row = rows.get(subject);
    if (row === undefined) return 'it has no row in the table of cross-tenant paths';
    return row.owner === owner ? undefined : `the table gives it to ${row.owner}, not to ${owner}`;
  };
  const subscribeProblem = (event: EventType, reader: string): string | undefined => {
    if (event.crossTenant !== true) return undefined;
    const unpublishable = publishProblem(event);
    if (unpublishable !== undefined) return unpublishable;
    return rows.get(event.subject)?.readers.includes(reader)
      ? undefined
      : `the table of cross-tenant paths does not name ${reader} as a reader`;
  };
  return { paths, publishProblem, subscribeProblem };
}

/** What a service publishes and hears; a `Service` is one. */
export type Traffic = {
  readonly name: string;
  readonly publishes: readonly EventType[];
  readonly reacts: readonly { readonly event: EventType }[];
};

/** Everything declared that the policy forbids, and rows of the table that are about nothing; in words. */
export function crossTenantProblems(services: readonly Traffic[], policy: CrossTenantPolicy): string[] {
  const published = services.flatMap(service => service.publishes);
  const unpublishable = published.map(event => told(event, policy.publishProblem(event)));
  const unreadable = services.flatMap(({ name, reacts }) =>
    reacts.map(({ event }) => told(event, policy.subscribeProblem(event, name))),
  );
  const idle = policy.paths.map(({ subject }) => {
    const event = published.find(one => one.subject === subject);
    if (event === undefined) return `${subject}: the table has a row for it, and nobody publishes it`;
    return event.crossTenant
      ? undefined
      : `${subject}: the table has a row for it, and it is not crossTenant`;
  });
  return [...unpublishable, ...unreadable, ...idle].filter(problem => problem !== undefined);
}

function told({ subject }: EventType, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${subject}: ${problem}`;
}
