import { expect, test } from 'vitest';
import { imports } from './imports.ts';
import { plantedTree } from './planted-tree.ts';

/** A small repository that obeys every rule; a test adds one file that does not. */
function treeWith(files: Record<string, string>) {
  const tree = plantedTree({
    'package.json': manifest('root', []),
    'packages/kernel/package.json': manifest('@ghasi/domain-primitives', []),
    'packages/kernel/money.ts': 'export type Money = { minor: bigint };\n',
    'packages/db/package.json': manifest('@ghasi/db', ['@ghasi/domain-primitives']),
    'packages/db/pool.ts':
      "import type { Money } from '@ghasi/domain-primitives/money';\nexport const pool = (m: Money) => m;\n",
    'packages/db/pool.test.ts':
      "import { signal } from '@ghasi/testing/signal';\nimport './pool.ts';\nsignal();\n",
    'packages/testing/package.json': manifest('@ghasi/testing', []),
    'packages/testing/signal.ts': 'export const signal = () => 1;\n',
    'packages/brokers/package.json': manifest('@ghasi/brokers', []),
    'packages/brokers/broker.ts': 'export const broker = 1;\n',
    'services/iam-service/package.json': manifest('@melmastoon/iam-service', everything),
    'services/iam-service/contract.ts': 'export const issued = 1;\n',
    'services/iam-service/model.ts':
      "import { issued } from './contract.ts';\nexport const model = issued;\n",
    'services/iam-service/service.ts': "import './model.ts';\nexport const service = 1;\n",
    'services/iam-service/service.test.ts': "import './service.ts';\n",
    'services/bff-desk-service/package.json': manifest('@melmastoon/bff-desk-service', everything),
    'services/bff-desk-service/routes.ts': "import '@melmastoon/iam-service/contract';\n",
    'apps/server/package.json': manifest('@melmastoon/server', everything),
    'apps/server/services.ts': "import '@melmastoon/iam-service/service';\n",
    'tools/a-tool.ts': "import '@ghasi/db/pool';\n",
    'apps/booking-web/package.json': manifest('@melmastoon/booking-web', everything),
    'node_modules/ioredis/package.json': '{ "name": "ioredis", "version": "1.0.0", "main": "main.js" }',
    'node_modules/ioredis/main.js': '\n',
    ...files,
  });
  for (const name of ['db', 'testing', 'brokers']) tree.link(`@ghasi/${name}`, `packages/${name}`);
  tree.link('@ghasi/domain-primitives', 'packages/kernel');
  for (const name of ['iam-service', 'bff-desk-service'])
    tree.link(`@melmastoon/${name}`, `services/${name}`);
  tree.link('@melmastoon/server', 'apps/server');
  return tree;
}

const everything = [
  '@ghasi/db',
  '@ghasi/domain-primitives',
  '@ghasi/brokers',
  '@ghasi/testing',
  '@melmastoon/iam-service',
  '@melmastoon/server',
  'ioredis',
];

function manifest(name: string, dependencies: string[]): string {
  return JSON.stringify({
    name,
    type: 'module',
    exports: { './*': './*.ts' },
    dependencies: Object.fromEntries(dependencies.map(dependency => [dependency, '*'])),
  });
}

async function rulesBrokenBy(path: string, source: string): Promise<string[]> {
  using tree = treeWith({ [path]: source });
  const { findings } = await imports.check(tree.root);
  const here = findings.filter(({ where }) => where === path);
  return [...new Set(here.map(({ what }) => what.split(':')[0] ?? ''))].sort();
}

test('a tree that obeys passes, and every TypeScript file and import is seen', async () => {
  using tree = treeWith({
    'packages/db/newer-syntax.ts':
      "export async function f() {\n  await using lease = { [Symbol.asyncDispose]: async () => {} };\n  return [lease, await import('./pool.ts')];\n}\n",
  });
  const report = await imports.check(tree.root);
  expect(report).toMatchObject({ looked: 13, of: 'modules with 10 imports', findings: [] });
});

test.each([
  [
    'a package that imports a service',
    'packages/db/a.ts',
    "import '@melmastoon/iam-service/contract';",
    ['declared', 'packages-know-no-hotel'],
  ],
  [
    'a package that imports an app',
    'packages/db/a.ts',
    "import '@melmastoon/server/services';",
    ['declared', 'packages-know-no-hotel'],
  ],
  [
    'a service that imports the inside of another',
    'services/other-service/a.ts',
    "import '@melmastoon/iam-service/model';",
    ['declared', 'services-meet-at-contract'],
  ],
  [
    'a type of the inside of another service',
    'services/other-service/a.ts',
    "import type { model } from '@melmastoon/iam-service/model';",
    ['declared', 'services-meet-at-contract'],
  ],
  [
    'a BFF that looks behind a contract',
    'services/bff-desk-service/a.ts',
    "import '@melmastoon/iam-service/model';",
    ['bffs-see-contracts-only', 'services-meet-at-contract'],
  ],
  [
    'a service that imports an app',
    'services/iam-service/a.ts',
    "import '@melmastoon/server/services';",
    ['services-know-no-app'],
  ],
  [
    'a service that composes itself',
    'services/iam-service/a.ts',
    "import './service.ts';",
    ['only-apps-compose-services'],
  ],
  [
    'a model with a database',
    'services/iam-service/model/a.ts',
    "import '@ghasi/db/pool';",
    ['decisions-are-pure'],
  ],
  [
    'a model with a clock',
    'services/iam-service/model/a.ts',
    "import 'node:timers';",
    ['decisions-are-pure'],
  ],
  [
    'a saga with queries',
    'services/iam-service/booking.saga.ts',
    "import './queries.ts';",
    ['decisions-are-pure', 'resolvable'],
  ],
  ['ioredis outside its adapters', 'services/iam-service/a.ts', "import 'ioredis';", ['redis-in-adapters']],
  [
    'test code in production',
    'services/iam-service/a.ts',
    "import '@ghasi/testing/signal';",
    ['test-code-stays-in-tests'],
  ],
  [
    'a test imported by production',
    'packages/db/a.ts',
    "import './pool.test.ts';",
    ['test-code-stays-in-tests'],
  ],
  ['a node: module in the kernel', 'packages/kernel/a.ts', "import 'node:fs';", ['kernel-runs-in-browsers']],
  [
    'a node module without its prefix in the kernel',
    'packages/kernel/a.ts',
    "export * from 'fs';",
    ['kernel-runs-in-browsers'],
  ],
  [
    'a relative path into another workspace',
    'packages/db/a.ts',
    "import '../kernel/money.ts';",
    ['workspaces-by-name'],
  ],
  ['a relative path from a tool', 'tools/a.ts', "import '../packages/db/pool.ts';", ['tools-by-name']],
  [
    'a file that is not exported or does not exist',
    'packages/db/a.ts',
    "import '@ghasi/domain-primitives/secret';",
    ['resolvable'],
  ],
  ['a dependency nobody declared', 'packages/kernel/a.ts', "import '@ghasi/db/pool';", ['declared']],
  [
    'a dynamic import',
    'packages/db/a.ts',
    "export const later = () => import('@melmastoon/server/services');",
    ['declared', 'packages-know-no-hotel'],
  ],
  [
    'an import in a type',
    'packages/db/a.ts',
    "export type S = import('@melmastoon/server/services').S;",
    ['declared', 'packages-know-no-hotel'],
  ],
  [
    'a re-export',
    'packages/db/a.ts',
    "export { service } from '@melmastoon/iam-service/service';",
    ['declared', 'only-apps-compose-services', 'packages-know-no-hotel'],
  ],
])('%s is refused', async (_title, path, source, rules) => {
  expect(await rulesBrokenBy(path, `${source}\n`)).toEqual(rules);
});

test.each([
  ['@google-cloud/pubsub', 'packages/brokers/pubsub.ts'],
  ['nodemailer', 'services/iam-service/mail.ts'],
  ['stripe', 'services/iam-service/commands.ts'],
])('ANTI-12 MIG-18: vendor SDK %s outside adapters is refused', async (vendor, path) => {
  expect(await rulesBrokenBy(path, `import '${vendor}';\n`)).toContain('vendors-in-adapters');
});

test('ANTI-12 MIG-18: a vendor SDK inside its adapter is welcome', async () => {
  const rules = await rulesBrokenBy(
    'packages/brokers/adapters/pubsub.ts',
    "import '@google-cloud/pubsub';\n",
  );
  expect(rules).not.toContain('vendors-in-adapters');
});

test('ANTI-02: a client that imports a broker or the inside of a service is refused', async () => {
  expect(await rulesBrokenBy('apps/booking-web/a.ts', "import '@ghasi/brokers/broker';\n")).toEqual([
    'clients-see-contracts-only',
  ]);
  expect(await rulesBrokenBy('apps/booking-web/a.ts', "import '@melmastoon/iam-service/model';\n")).toEqual([
    'clients-see-contracts-only',
  ]);
  expect(
    await rulesBrokenBy('apps/booking-web/a.ts', "import '@melmastoon/iam-service/contract';\n"),
  ).toEqual([]);
});

test('ANTI-13: a service that publishes by hand is refused', async () => {
  expect(await rulesBrokenBy('services/iam-service/a.ts', "import '@ghasi/brokers/broker';\n")).toEqual([
    'services-use-no-broker',
  ]);
});

test('two files that import each other are refused', async () => {
  using tree = treeWith({
    'packages/db/a.ts': "import { b } from './b.ts';\nexport const a = b;\n",
    'packages/db/b.ts': "import type { a } from './a.ts';\nexport const b = (x: typeof a) => x;\n",
  });
  const { findings } = await imports.check(tree.root);
  expect(findings.map(({ what }) => what)).toContainEqual(
    expect.stringMatching(/^no-cycles: imports .*a\.ts.*b\.ts|^no-cycles: imports .*b\.ts.*a\.ts/),
  );
});

test('a tree without TypeScript is seen as nothing', async () => {
  using tree = plantedTree({ 'README.md': '# x\n' });
  expect(await imports.check(tree.root)).toMatchObject({ looked: 0 });
});
