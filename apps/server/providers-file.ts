import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { serverErrors } from './errors.ts';

const name = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/);
const secret = z.string().min(1);
const baseUrl = z.url({ protocol: /^https?$/ });
const payment = z.strictObject({
  provider: name,
  baseUrl,
  apiKey: secret,
  webhookSecret: z.string().min(16),
});
const sender = z.strictObject({ ...payment.shape, account: z.string().min(1) });

const mail = z.strictObject({
  provider: name.default('smtp'),
  host: z.string().min(1),
  port: z.int().min(1).max(65_535),
  tls: z.enum(['implicit', 'starttls', 'none']),
  user: z.string().optional(),
  password: z.string().optional(),
  from: z.email(),
});

/** A maker of locks: every tenant has an account of its own there. */
const locks = <Account extends z.ZodType>(account: Account) =>
  z.strictObject({ baseUrl, accounts: z.record(z.uuid(), account) });
const cloud = { clientId: secret, clientSecret: secret, username: secret, password: secret };

/** With whom this installation has a contract (`MELM_PROVIDERS`). Whatever is left out is not offered. */
export const providersSchema = z.strictObject({
  payments: z
    .strictObject({
      card: payment.optional(),
      paypal: payment.optional(),
      mobileMoney: payment.optional(),
    })
    .default({}),
  messages: z
    .strictObject({
      email: mail.optional(),
      sms: sender.optional(),
      whatsapp: sender.extend({ template: z.string().optional() }).optional(),
    })
    .default({}),
  locks: z
    .strictObject({
      ttlock: locks(z.strictObject(cloud)).optional(),
      salto: locks(z.strictObject({ ...cloud, siteId: secret })).optional(),
      assaAbloy: locks(z.strictObject({ username: secret, password: secret })).optional(),
      wiegand: locks(
        z.strictObject({
          user: secret,
          password: secret,
          format: z.enum(['26', '34']),
          facility: z.int().min(0),
        }),
      ).optional(),
    })
    .default({}),
});
export type Providers = z.output<typeof providersSchema>;

/** Reads the file, or refuses it in one line that repeats nothing of it: it holds secrets. */
export async function readProviders(file: string): Promise<Providers> {
  const refuse = (reason: string) => serverErrors.BAD_PROVIDERS({ file, reason });
  const text = await readFile(file, 'utf8').catch(error => {
    throw refuse((error as NodeJS.ErrnoException).code ?? 'cannot be read');
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw refuse('is no JSON');
  }
  const parsed = providersSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw refuse(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}
