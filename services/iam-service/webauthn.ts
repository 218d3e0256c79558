import type { Ctx } from '@ghasi/db/tenant-transaction';
import { type Id, idToUuid } from '@ghasi/domain-primitives/ids';
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { IamConfig } from './config.ts';
import { lifetimes } from './model.ts';
import { activeFactors, advanceSignCount, type FactorRow } from './queries/factors.ts';
import type { Operator } from './queries/operators.ts';

type Site = Pick<IamConfig, 'rpId' | 'rpName' | 'origins'>;

/** EdDSA and ES256; RS256 only for old Windows Hello keys. */
const ALGORITHMS = [-8, -7, -257];

/** What a browser needs to make a passkey; its `challenge` is to be stored. */
export function registrationOptions(site: Site, operator: Operator, known: readonly FactorRow[]) {
  return generateRegistrationOptions({
    rpName: site.rpName,
    rpID: site.rpId,
    userName: operator.email,
    userDisplayName: operator.name,
    userID: Uint8Array.from(Buffer.from(idToUuid(operator.id).replaceAll('-', ''), 'hex')),
    attestationType: 'none',
    excludeCredentials: known.flatMap(credentialOf),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
    timeout: lifetimes.challengeMs,
  });
}

/** What a browser needs to use one of these passkeys; its `challenge` is to be stored. */
export function authenticationOptions(site: Site, passkeys: readonly FactorRow[]) {
  return generateAuthenticationOptions({
    rpID: site.rpId,
    allowCredentials: passkeys.flatMap(credentialOf),
    userVerification: 'required',
    timeout: lifetimes.challengeMs,
  });
}

function credentialOf({ credential_id, transports }: FactorRow) {
  return credential_id === null ? [] : [{ id: credential_id, transports: transports ?? [] }];
}

/** The new passkey, if the answer fits the challenge, our pages, our domain, and a verified person. */
export async function readRegistration(site: Site, response: RegistrationResponseJSON, challenge: string) {
  try {
    if (isFramed(response.response.clientDataJSON)) return undefined;
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origins,
      expectedRPID: site.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return registrationInfo?.credential;
  } catch {
    return undefined;
  }
}

/**
 * Accepts a passkey's answer to `challenge`. Only this person's own passkeys are looked at, so another person's
 * credential is unknown here; the counter moves in the same statement that checks it (safety rule 21).
 */
export async function acceptPasskey(
  ctx: Ctx,
  site: Site,
  answer: { operatorId: Id<'usr'>; response: AuthenticationResponseJSON; challenge: string },
): Promise<boolean> {
  const { response, challenge } = answer;
  const passkeys = await activeFactors(ctx, answer.operatorId, 'webauthn');
  const passkey = passkeys.find(({ credential_id }) => credential_id === response.id);
  if (passkey?.public_key == null) return false;
  const count = await verifiedCount(ctx, site, {
    response,
    challenge,
    passkey,
    publicKey: passkey.public_key,
  });
  return count !== undefined && advanceSignCount(ctx, passkey.id, count);
}

/** The passkey's new counter, if its answer is right. */
async function verifiedCount(
  ctx: Ctx,
  site: Site,
  answer: { response: AuthenticationResponseJSON; challenge: string; passkey: FactorRow; publicKey: Buffer },
): Promise<number | undefined> {
  const { response, challenge, passkey, publicKey } = answer;
  try {
    if (isFramed(response.response.clientDataJSON)) return undefined;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origins,
      expectedRPID: site.rpId,
      requireUserVerification: true,
      credential: {
        id: response.id,
        publicKey: Uint8Array.from(publicKey),
        counter: Number(passkey.sign_count ?? 0n),
        transports: (passkey.transports ?? []) as AuthenticatorTransport[],
      },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch (error) {
    ctx.log.debug({ err: error }, 'a passkey was not accepted');
    return undefined;
  }
}

/** True for an answer made inside another site's frame; the library lets some browsers' pass. */
function isFramed(clientDataJson: string): boolean {
  const data: unknown = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString());
  return typeof data === 'object' && data !== null && 'crossOrigin' in data && data.crossOrigin === true;
}
