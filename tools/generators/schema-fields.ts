type Json = Readonly<Record<string, unknown>>;

/** One member of a payload: its path (`rooms[].roomId`), what it may hold, and whether it may be missing. */
export type Field = { readonly path: string; readonly holds: string; readonly optional: string };

/** Every member of a JSON Schema as zod writes it, parents before children. */
export function schemaFields(schema: Json, path = ''): Field[] {
  const branches = options(schema);
  if (branches.length > 1) return branches.flatMap(branch => schemaFields(branch, path)).filter(isFirst);
  const [only = schema] = branches;
  const required = new Set((only.required ?? []) as string[]);
  const properties = Object.entries((only.properties ?? {}) as Record<string, Json>);
  return [
    ...properties.flatMap(([name, member]) => {
      const at = path === '' ? name : `${path}.${name}`;
      return [
        { path: at, holds: holds(member), optional: optional(member, required.has(name)) },
        ...below(member, at),
      ];
    }),
    ...(properties.length === 0 ? below(only, path) : []),
  ];
}

/** Members below a member; money says it all in one word. */
function below(schema: Json, path: string): Field[] {
  if (isMoney(schema)) return [];
  const children = options(schema).flatMap(option => [
    ...(option.properties && !isMoney(option) ? schemaFields(option, path) : []),
    ...(isJson(option.items) ? schemaFields(option.items, `${path}[]`) : []),
    ...(isJson(option.additionalProperties) ? schemaFields(option.additionalProperties, `${path}{}`) : []),
  ]);
  return children.filter(isFirst);
}

/** Branches of a union may share members. */
function isFirst(field: Field, index: number, all: readonly Field[]): boolean {
  return all.findIndex(other => other.path === field.path && other.holds === field.holds) === index;
}

/** What a value may be: the branches of a union without null, or the schema itself. */
function options(schema: Json): Json[] {
  const branches = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  return branches === undefined ? [schema] : branches.filter(branch => branch.type !== 'null');
}

function holds(schema: Json): string {
  const branches = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (branches !== undefined) return [...new Set(branches.map(holds))].join(' or ');
  if (schema.const !== undefined) return code(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(code).join(', ');
  if (schema.type === 'array')
    return `list of ${isJson(schema.items) ? holds(schema.items) : 'values'}${size(schema)}`;
  if (isMoney(schema)) return 'money `{ amount, currency }`';
  if (isJson(schema.additionalProperties)) return `map of ${holds(schema.additionalProperties)}`;
  if (typeof schema.$ref === 'string') return `the same as ${schema.$ref}`;
  return `${scalar(schema)}${size(schema)}`;
}

function isMoney({ properties }: Json): boolean {
  return isJson(properties) && Object.keys(properties).join() === 'amount,currency';
}

function scalar({ type, format, pattern }: Json): string {
  if (format === 'date') return 'date';
  if (format === 'date-time') return 'instant';
  if (typeof format === 'string') return format;
  const prefix = typeof pattern === 'string' ? /^\^([a-z]{2,5})_\[0-7\]/.exec(pattern)?.[1] : undefined;
  if (prefix !== undefined) return `id \`${prefix}_…\``;
  return typeof pattern === 'string' ? `${type} ${code(pattern)}` : String(type);
}

const limits = [
  ['minimum', '≥'],
  ['exclusiveMinimum', '>'],
  ['maximum', '≤'],
  ['exclusiveMaximum', '<'],
  ['minLength', 'length ≥'],
  ['maxLength', 'length ≤'],
  ['minItems', 'items ≥'],
  ['maxItems', 'items ≤'],
] as const;

/** Limits other than those of every JavaScript integer. */
function size(schema: Json): string {
  const said = limits
    .filter(
      ([word]) => schema[word] !== undefined && Math.abs(Number(schema[word])) !== Number.MAX_SAFE_INTEGER,
    )
    .map(([word, sign]) => `${sign} ${schema[word]}`);
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}

function optional(schema: Json, isRequired: boolean): string {
  if (schema.default !== undefined) return `default ${code(schema.default)}`;
  return isRequired ? '' : 'may be missing';
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
