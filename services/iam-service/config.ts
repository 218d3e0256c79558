import { days, hours, minutes } from '@ghasi/domain-primitives/duration';
import { z } from 'zod';

const origin = z
  .url({ protocol: /^https?$/ })
  .refine(text => new URL(text).origin === text, 'an origin has no path, e.g. https://desk.example.com');

/** What an installation decides about sign-in. Everything without a default must be given. */
export const iamConfig = z.strictObject({
  /**
   * The installation's secrets, newest first. The first one seals and peppers; older ones still open what they
   * sealed, so that a secret can be replaced without locking anybody out.
   */
  secrets: z.array(z.string().min(32)).min(1),
  /** `iss` and `aud` of access tokens. */
  issuer: z.url(),
  audience: z.string().min(1).default('melmastoon'),
  /** Passkeys belong to this domain and work on these pages only. */
  rpId: z.string().min(1),
  rpName: z.string().min(1).default('Melmastoon'),
  origins: z.array(origin).min(1),
  accessTokenMs: z.int().positive().max(minutes(5)).default(minutes(5)),
  /** A session ends after so long without a refresh, and in any case after `sessionMs` (ledger BO-13). */
  sessionIdleMs: z.int().positive().default(minutes(30)),
  sessionMs: z.int().positive().default(hours(12)),
  /** How long a signing key signs before the next one takes over. */
  keyLifeMs: z.int().positive().default(days(30)),
  /**
   * argon2id. OWASP asks for at least 19 MiB and 2 passes (39 ms here); 64 MiB and 2 passes took 147 ms (median of
   * 15 on a busy 2-core machine, Node 24). One lane, because libuv's four threads already run four hashes at once:
   * at most 256 MiB and no stall of the event loop.
   */
  argon2: z
    .strictObject({
      memoryKib: z.int().min(8).default(65_536),
      passes: z.int().min(1).default(2),
      lanes: z.int().min(1).default(1),
    })
    .prefault({}),
});

export type IamConfig = z.output<typeof iamConfig>;
export type IamConfigInput = z.input<typeof iamConfig>;
