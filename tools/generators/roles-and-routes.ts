import { everyService } from './every-service.ts';
import { type Page, table } from './generator.ts';

/** safety-11: the golden table of who may call what. A new route or a changed role is a difference to review. */
export const rolesAndRoutesPage: Page = {
  path: 'docs/reference/roles-and-routes.md',
  title: 'Roles and routes',
  source: 'the `routes` of every service',
  async make() {
    const { routeTable } = await import('@ghasi/http/route-table');
    const rows = routeTable(await everyService()).map(row => [
      row.method,
      `\`${row.path}\``,
      row.service,
      row.auth,
      row.roles.join(', '),
      row.idempotency ?? '',
      row.rateLimit ?? '',
    ]);
    const head = ['Method', 'Path', 'Service', 'Who', 'Roles (one is enough)', 'Idempotency', 'Rate limit'];
    return `${introduction}\n\n${rows.length} routes.\n\n${table(head, rows)}`;
  },
};

const introduction = [
  'A change of this page is a change of rights: review it as one. `*` stands for everybody of that kind. Idempotency',
  '`key` means that the request must carry an `Idempotency-Key`; otherwise the reason why it needs none.',
].join('\n');
