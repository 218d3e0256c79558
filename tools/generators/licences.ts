import { shippedPackages } from '../gates/shipped-packages.ts';
import { type Page, table } from './generator.ts';

/** Every package that ships, with its licence. From the lock file alone, so that every platform makes the same page. */
export const licencesPage: Page = {
  path: 'docs/reference/licences.md',
  title: 'Licences of what we ship',
  source: '`package-lock.json`',
  async make(root) {
    const unique = new Map(shippedPackages(root).map(found => [`${found.name}@${found.version}`, found]));
    const packages = [...unique.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
    const rows = packages.map(({ name, version, licence }) => [`\`${name}\``, version, licence]);
    return `${packages.length} packages.\n\n${table(['Package', 'Version', 'Licence'], rows)}`;
  },
};

function key({ name, version }: { name: string; version: string }): string {
  return `${name}@${version}`;
}
