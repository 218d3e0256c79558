/* Who may import whom. `npm run imports` runs it and fails below a module floor. */
const { Visitor } = require('@swc/core/Visitor.js');

// TypeScript 7 has no API for dependency-cruiser, so swc parses. swc's Visitor, which dependency-cruiser extends, is
// frozen and throws on newer syntax (`await using`): walk the tree ourselves and hand over only what imports.
Visitor.prototype.visitModule = function visitModule(module) {
  for (const node of nodesIn(module.body)) {
    if (node.type === 'ImportDeclaration') this.visitImportDeclaration(node);
    if (node.type === 'ExportNamedDeclaration') this.visitExportNamedDeclaration(node);
    if (node.type === 'ExportAllDeclaration') this.visitExportAllDeclaration(node);
    if (node.type === 'CallExpression' && node.callee.type === 'Import') this.visitCallExpression(node);
    if (node.type === 'TsImportType') this.visitTsTypeAnnotation({ typeAnnotation: node });
  }
  return module;
};

function* nodesIn(part) {
  if (Array.isArray(part)) {
    for (const item of part) yield* nodesIn(item);
  } else if (part !== null && typeof part === 'object') {
    if (typeof part.type === 'string') yield part;
    for (const child of Object.values(part)) yield* nodesIn(child);
  }
}

// dependency-cruiser calls an import by workspace name local too, where the root's package.json is the nearest
const byPath = { dependencyTypes: ['local'], dependencyTypesNot: ['aliased'] };
const workspace = '^(packages|services|apps)/([^/]+)/';
const testCode = '\\.(test|conformance|fixture)\\.ts$|/fixtures/|^packages/testing/|^vitest\\.';
const vendors =
  '(^|node_modules/)(@google-cloud/|@aws-sdk/|@azure/|@anthropic-ai/|googleapis|firebase-admin|openai|stripe|twilio|nodemailer)(/|$|(?<=/))';

const forbidden = [
  {
    name: 'packages-know-no-hotel',
    comment: 'packages are publishable on their own',
    from: { path: '^packages/' },
    to: { path: '^(services|apps|tools|bench|examples)/' },
  },
  {
    name: 'services-meet-at-contract',
    comment:
      'a service sees nothing of another but contract.ts and events.ts; the catalog is what contracts are made of',
    from: { path: '^services/([^/]+)/' },
    to: {
      path: '^services/',
      pathNot: '^services/$1/|^services/catalog/|^services/[^/]+/(contract(\\.ts$|/)|events\\.ts$)',
    },
  },
  {
    name: 'bffs-see-contracts-only',
    comment: 'a BFF composes answers of others, through contracts, and never their inner files',
    from: { path: '^services/(bff-[^/]+)/' },
    to: {
      path: '^(services|apps)/',
      pathNot: '^services/$1/|^services/catalog/|^services/[^/]+/(contract(\\.ts$|/)|events\\.ts$)',
    },
  },
  {
    name: 'services-know-no-app',
    comment: 'apps compose services, never the other way round',
    from: { path: '^services/' },
    to: { path: '^(apps|tools|bench)/' },
  },
  {
    name: 'only-apps-compose-services',
    comment: 'service.ts is the table of contents; only server and cli (and its own tests) open it',
    from: { path: '^', pathNot: `^apps/(server|cli)/|^tools/generators/|${testCode}` },
    to: { path: '^services/[^/]+/service\\.ts$' },
  },
  {
    name: 'clients-see-contracts-only',
    comment: 'ANTI-02: no client knows topics, brokers or the inside of a service',
    from: { path: '^(apps/([^/]+-web|ops-console)|packages/ui)/' },
    to: {
      path: '^services/|^packages/(brokers|backbone|db|jobs|hot|http)/',
      pathNot: '^services/[^/]+/contract(\\.ts$|/)',
    },
  },
  {
    name: 'decisions-are-pure',
    comment: 'model.ts and sagas import the kernel, contracts, model and errors only',
    from: { path: '^services/([^/]+)/(model(\\.ts|/)|.*\\.saga\\.ts)', pathNot: testCode },
    to: {
      pathNot: '^packages/kernel/|^services/[^/]+/contract(\\.ts$|/)|^services/$1/(model|errors)(\\.ts$|/)',
    },
  },
  {
    name: 'vendors-in-adapters',
    comment: 'ANTI-12, MIG-18: a vendor SDK is known to its adapter alone',
    from: { path: '^', pathNot: '/adapters/' },
    to: { path: vendors },
  },
  {
    name: 'redis-in-adapters',
    comment: 'Redis is one of two hot stores and one of three brokers: behind the port, and its own tests',
    from: { path: '^', pathNot: '^packages/(hot|brokers)/(adapters/|.*\\.(test|conformance)\\.ts$)' },
    to: { path: '(^|node_modules/)ioredis(/|$)' },
  },
  {
    name: 'services-use-no-broker',
    comment: 'ANTI-13: what a handler returns is published; nobody publishes by hand',
    from: { path: '^services/' },
    to: { path: '^packages/brokers/' },
  },
  {
    name: 'test-code-stays-in-tests',
    comment: 'fakes, clones and failpoints never reach production',
    from: { path: '^', pathNot: `${testCode}|^(tools|bench)/` },
    to: {
      path: '^packages/testing/|\\.(test|conformance|fixture)\\.ts$|/fixtures/|(^|node_modules/)(vitest|fast-check)(/|$)',
    },
  },
  {
    name: 'kernel-runs-in-browsers',
    comment: 'no node: module in the kernel',
    from: { path: '^packages/kernel/', pathNot: testCode },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'workspaces-by-name',
    comment: 'another workspace is reached through its exports, never by a relative path',
    from: { path: workspace },
    to: { path: '^(packages|services|apps|tools|bench)/', pathNot: '^$1/$2/', ...byPath },
  },
  {
    name: 'tools-by-name',
    comment: 'tools and benchmarks use the public doors too',
    from: { path: '^(tools|bench|examples)/' },
    to: { path: '^(packages|services|apps)/', ...byPath },
  },
  {
    name: 'no-cycles',
    comment: 'two files that need each other are one idea',
    from: {},
    to: { circular: true },
  },
  {
    name: 'resolvable',
    comment: 'not exported by its package, not installed, or misspelt',
    from: {},
    to: { couldNotResolve: true },
  },
];

module.exports = {
  forbidden: forbidden.map(rule => ({ severity: 'error', ...rule })),
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules/\\.|\\.melmastoon/|dist/|coverage/)' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
