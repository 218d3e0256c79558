import { isIP } from 'node:net';
import { regions } from '@melmastoon/tenant-service/contract';
import { z } from 'zod';
import { serverErrors } from './errors.ts';

const list = z
  .string()
  .transform(text => text.split(',').map(part => part.trim()))
  .pipe(z.array(z.string().min(1)).min(1));

const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      text => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be an address that starts with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`,
    );

const peers = list.transform((pairs, refinement) => {
  const found = new Map<string, string>();
  for (const pair of pairs) {
    const [schema, address] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    if (!/^[a-z_]+$/.test(schema) || !URL.canParse(address)) {
      refinement.addIssue({ code: 'custom', message: `"${pair}" is not like iam=http://127.0.0.1:4001` });
      return z.NEVER;
    }
    found.set(schema, address);
  }
  return found;
});

/** As Fastify reads them: its own error comes only when the door is opened, and names no variable. */
const proxies = list.refine(
  all => all.every(isProxy),
  'must be addresses or ranges, e.g. 10.0.0.7 or 10.0.0.0/8',
);

function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits = '1', ...more] = text.split('/');
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return more.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most;
}

/** Every variable the platform reads, once, at start. The reference page is generated from this. */
export const environmentSchema = z.object({
  PORT: z.coerce
    .number('must be a port number')
    .int()
    .min(0)
    .max(65_535)
    .default(4000)
    .describe('Port of the HTTP server; 0 takes a free one'),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address the HTTP server listens on'),
  DATABASE_URL: url('postgres:', 'postgresql:')
    .optional()
    .describe("Administrator's address of a PostgreSQL 15 or newer; without it an embedded server is used"),
  REDIS_URL: url('redis:', 'rediss:')
    .optional()
    .describe('Redis 7 for the state tier (noeviction); without it the hot tier lives in the process'),
  REDIS_CACHE_URL: url('redis:', 'rediss:')
    .optional()
    .describe('A Redis of its own for the cache tier (allkeys-lru); default REDIS_URL'),
  BROKER: z
    .enum(['postgres', 'redis-streams'])
    .default('postgres')
    .describe(
      'What carries events, the same in every process: the log in PostgreSQL, or the streams of the Redis at REDIS_URL',
    ),
  SERVICES: z
    .union([z.literal('all'), list])
    .default('all')
    .describe('Services of this process: all, or names separated by commas'),
  ROLE: z
    .enum(['all', 'http', 'relay', 'consumers', 'jobs'])
    .default('all')
    .describe('What this process does: all, or only one of http, relay, consumers, jobs'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http:', 'https:')
    .optional()
    .describe('Where traces are sent; without it they are not'),
  MELM_ENV: z
    .enum(['development', 'production'])
    .default('development')
    .describe('production refuses demo data, failpoints and a generated secret'),
  MELM_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .optional()
    .describe(
      'Installation secret; role passwords and keys derive from it. Generated for the embedded server',
    ),
  MELM_DATA_DIR: z
    .string()
    .min(1)
    .default('.melmastoon')
    .describe('Folder of the embedded server and its generated secret'),
  MELM_PUBLIC_URL: url('http:', 'https:')
    .optional()
    .describe('Address under which people reach this installation; default http://localhost:PORT'),
  MELM_PROVIDERS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A JSON file that says how to reach payment providers, lock vendors and message channels; without it only cash, keys by hand and no messages',
    ),
  MELM_REQUESTS_PER_MINUTE: z.coerce
    .number('must be a number')
    .int()
    .min(1)
    .default(600)
    .describe('Requests one person or address may send in a minute; a whole hotel ten times as many'),
  MELM_HOLD_SECONDS: z.coerce
    .number('must be a number of seconds')
    .int()
    .min(1)
    .max(86_400)
    .default(600)
    .describe('How long rooms are held for a guest who is about to pay'),
  MELM_PEERS: peers
    .optional()
    .describe('Where services that do not run here answer, e.g. iam=http://127.0.0.1:4001'),
  MELM_TRUSTED_PROXIES: proxies
    .optional()
    .describe('Addresses or ranges of proxies whose X-Forwarded-* headers count'),
  MELM_REGION: z
    .enum(regions)
    .default('me-central1')
    .describe('Where this deployment keeps its data; written into every event'),
  MELM_COMMIT: z
    .string()
    .regex(/^[0-9a-f]{7,40}$/, 'must be a git commit')
    .default('0000000')
    .describe('Commit this process runs; written into every event'),
  MELM_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .optional()
    .describe('Least important log line that is written; default warn, in production info'),
  MELM_METRICS: z
    .enum(['loopback', 'public', 'off'])
    .default('loopback')
    .describe(
      'Who may read /metrics: this machine alone, everybody who reaches the port (keep the path from guests), or nobody',
    ),
  MELM_FAILPOINTS: z
    .string()
    .optional()
    .describe('Test doors, e.g. db.before-commit=crash; refused in production'),
});

/** The parsed environment. */
export type Environment = z.output<typeof environmentSchema>;

/** Reads the environment or refuses it in one line that names every bad variable. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const known = new Set(Object.keys(environmentSchema.shape));
  const unknown = Object.keys(env).filter(name => name.startsWith('MELM_') && !known.has(name));
  // An empty variable means "not set": that is how a compose file or a shell unsets one.
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => known.has(name) && value !== ''),
  );
  const parsed = environmentSchema.safeParse(given);
  const bad = [
    ...unknown.map(name => `${name} is not known (see docs/reference/environment.md)`),
    ...(parsed.error?.issues ?? []).map(issue => `${issue.path.join('.')} ${issue.message}`),
    ...(parsed.data?.BROKER === 'redis-streams' && parsed.data.REDIS_URL === undefined
      ? ['BROKER redis-streams needs a REDIS_URL']
      : []),
  ];
  if (bad.length > 0 || !parsed.success) throw serverErrors.BAD_ENVIRONMENT({ reasons: bad });
  return parsed.data;
}
