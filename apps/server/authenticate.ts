import type { Ask } from '@ghasi/backbone/question';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Authenticate, Principal, RequestFacts } from '@ghasi/http/principal';
import { verifyAccess } from '@melmastoon/iam-service/contract';
import type { ServiceTokens } from './service-token.ts';

/** Who sends a request: iam answers for people and devices, the installation's own tokens for services. */
export function authenticator(ask: Ask, tokens: ServiceTokens): Authenticate {
  const person =
    (kind: 'operator' | 'device') =>
    async (facts: RequestFacts): Promise<Principal> => {
      const answer = await ask(verifyAccess, {
        kind,
        authorization: header(facts, 'authorization'),
        deviceProof: header(facts, 'device-proof'),
        method: facts.method,
        path: facts.target,
        bodyHash: await facts.bodySha256(),
      });
      if ('refused' in answer) throw coreErrors.UNAUTHENTICATED({ reason: answer.refused });
      const { deviceId, attestation, ...known } = answer.principal;
      return { ...known, ...(deviceId && { deviceId }), ...(attestation && { attestation }) };
    };
  return {
    operator: person('operator'),
    device: person('device'),
    // Guest sessions belong to the booking site, which is not among the services yet.
    guest: async () => {
      throw coreErrors.UNAUTHENTICATED();
    },
    service: facts => tokens.verify(header(facts, 'authorization')),
  };
}

function header(facts: RequestFacts, name: string): string | undefined {
  const value = facts.headers[name];
  return typeof value === 'string' ? value : undefined;
}
