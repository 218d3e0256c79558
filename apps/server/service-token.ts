import { coreErrors } from '@ghasi/domain-primitives/errors';
import { PLATFORM_TENANT_ID } from '@ghasi/domain-primitives/ids';
import type { Principal } from '@ghasi/http/principal';
import { jwtVerify, SignJWT } from 'jose';
import { deriveKey } from './secret.ts';

const TYPE = 'melm-service+jwt';

/** How processes of one installation recognise each other: short-lived tokens under a key only they can derive. */
export type ServiceTokens = {
  issue(audience: string): Promise<string>;
  verify(authorization: string | undefined): Promise<Principal>;
};

/** Tokens for and from other processes; valid for a minute, for one audience. */
export function serviceTokens(secret: string, audiences: readonly string[]): ServiceTokens {
  const key = deriveKey(secret, 'service-token');
  return {
    issue: audience =>
      new SignJWT()
        .setProtectedHeader({ alg: 'HS256', typ: TYPE })
        .setSubject('melmastoon')
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('60s')
        .sign(key),
    async verify(authorization) {
      const token = authorization?.match(/^Bearer (\S+)$/)?.[1];
      if (token === undefined) throw coreErrors.UNAUTHENTICATED();
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          typ: TYPE,
          audience: [...audiences],
          requiredClaims: ['exp', 'aud', 'sub'],
        });
        return {
          kind: 'service',
          id: payload.sub as string,
          tenantId: PLATFORM_TENANT_ID,
          roles: [],
          amr: [],
        };
      } catch (error) {
        throw coreErrors.UNAUTHENTICATED({}, { cause: error });
      }
    },
  };
}
