import { type AnyRoute, defineRoute, open } from '@ghasi/http/route';
import { z } from 'zod';
import type { Iam } from '../iam.ts';

const key = z.strictObject({
  kty: z.string(),
  crv: z.string(),
  x: z.string(),
  kid: z.string(),
  alg: z.string(),
  use: z.string(),
});

/** The public halves of the keys that sign access tokens. */
export function keyRoutes(iam: Iam): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/.well-known/jwks.json',
      summary: 'Public keys of access tokens (RFC 7517); the next key is among them before it signs',
      auth: open(),
      returns: { 200: z.strictObject({ keys: z.array(key) }) },
      transaction: 'none',
      async handler({ db, now }) {
        const keys = (await iam.signing.published(db, now)) as z.input<typeof key>[];
        return { status: 200, body: { keys }, headers: { 'cache-control': 'public, max-age=300' } };
      },
    }),
  ];
}
