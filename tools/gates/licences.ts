import { type Finding, type Gate, type GateReport, isStarted, runGate } from './gate.ts';
import { shippedPackages } from './shipped-packages.ts';

/** Licences an Apache-2.0 project may depend on. MPL-2.0 and the GPL family are left out on purpose. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1', // fonts: may be bundled with software of any licence, and stay fonts
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
]);

/** ANTI-09: sagas are plain use cases; a workflow engine in the lock file is a decision nobody took. */
const sagaFrameworks =
  /^(xstate|@xstate\/.+|@temporalio\/.+|node-sagas|@dbos-inc\/.+|inngest|bpmn-engine|redux-saga)$/;

/** Whether an SPDX expression leaves us at least one choice we may use. */
export function isAllowed(expression: string): boolean {
  const inner = expression.trim().replace(/^\(([^()]*)\)$/, '$1');
  if (/ AND /.test(inner)) return inner.split(' AND ').every(isAllowed);
  return inner.split(' OR ').some(licence => allowed.has(licence.trim()));
}

/** What ships carries a licence that suits Apache-2.0, and none of it is a saga framework. */
export const licences: Gate = {
  name: 'licences',
  floor: 150,
  async check(root): Promise<GateReport> {
    const packages = shippedPackages(root);
    const findings: Finding[] = packages.flatMap(({ path, name, version, licence }) => {
      const where = `${path}@${version}`;
      const refused: Finding[] = [];
      if (!isAllowed(licence)) refused.push({ where, what: `licence ${licence} is not on the list` });
      if (sagaFrameworks.test(name)) refused.push({ where, what: 'is a saga framework (ANTI-09)' });
      return refused;
    });
    return { looked: packages.length, of: 'production packages', findings };
  },
};

if (isStarted(import.meta.url)) await runGate(licences);
