import { type Page, table } from './generator.ts';

type Property = { description?: string; enum?: string[] };

/** Every variable the platform reads, from the schema that reads them. */
export const environmentPage: Page = {
  path: 'docs/reference/environment.md',
  title: 'Environment',
  source: '`apps/server/environment.ts`',
  async make() {
    const { environmentSchema } = await import('@melmastoon/server/environment');
    const { z } = await import('zod');
    const schema = z.toJSONSchema(environmentSchema, { io: 'input', unrepresentable: 'any' });
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Property>);
    const rows = properties.map(([name, property]) => {
      // what the schema makes of nothing is the default; JSON Schema loses it behind a transform
      const { data } =
        environmentSchema.shape[name as keyof typeof environmentSchema.shape].safeParse(undefined);
      const meaning = [property.description, choices(property)].filter(part => part !== '').join('. ');
      return [`\`${name}\``, data === undefined ? '' : `\`${data}\``, meaning];
    });
    return `${introduction}\n\n${table(['Variable', 'Default', 'Meaning'], rows)}`;
  },
};

const introduction = [
  'Read once, at start. A bad value or an unknown `MELM_` variable ends the start with one line that names it and exit',
  'code 2. An empty variable counts as not set.',
].join('\n');

function choices({ enum: values }: Property): string {
  return values === undefined ? '' : `One of ${values.map(value => `\`${value}\``).join(', ')}`;
}
