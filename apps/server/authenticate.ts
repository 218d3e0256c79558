import type { Ask } from '@ghasi/backbone/question';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { Authenticate, Principal, RequestFacts } from '@ghasi/http/principal';
import { verifyAccess } from '@melmastoon/iam-service/contract';
import type { ServiceTokens } from './service-token.ts';

/** Who sends a request: iam answers for people and devices, the booking site for its guests, the installation's own tokens for services. */
export function authenticator(ask: Ask, tokens: ServiceTokens, guest: Authenticate['guest']): Authenticate {
  const person =
    (kind: 'operator' | 'device') =>
    async (facts: RequestFacts): Promise<Principal> => {
      const deviceProof = header(facts, 'device-proof');
      const answer = await ask(verifyAccess, {
        kind,
        authorization: header(facts, 'authorization'),
        deviceProof,
        method: facts.method,
        path: facts.target,
        // Only a proof covers the body; reading a stranger's body for nothing would be a gift.
        bodyHash: deviceProof === undefined ? undefined : await facts.bodySha256(),
        attestation: header(facts, 'step-up-attestation', 40),
        stepUp: facts.stepUp,
      });
      // The caller hears one word; why is for the log.
      if ('refused' in answer) throw coreErrors.UNAUTHENTICATED({}, { cause: new Error(answer.refused) });
      const { deviceId, attestation, ...known } = answer.principal;
      return { ...known, ...(deviceId && { deviceId }), ...(attestation && { attestation }) };
    };
  return {
    operator: person('operator'),
    device: person('device'),
    guest, // of the booking sites
    service: facts => tokens.verify(header(facts, 'authorization')),
  };
}

/** A header that occurs once and is not longer than anything we ever issued. */
function header(facts: RequestFacts, name: string, most = 4_096): string | undefined {
  const value = facts.headers[name];
  return typeof value === 'string' && value.length <= most ? value : undefined;
}
