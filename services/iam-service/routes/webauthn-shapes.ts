import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';

const base64url = (most: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .max(most);
const attachment = z.enum(['platform', 'cross-platform']);
/** Browsers add what their extensions say; none of it decides anything here. */
const extensions = z.record(z.string().max(64), z.json());

/** What `navigator.credentials.create()` gives, as JSON. */
export const registrationResponse = z.strictObject({
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal('public-key'),
  authenticatorAttachment: attachment.nullish(),
  clientExtensionResults: extensions.default({}),
  response: z.strictObject({
    clientDataJSON: base64url(8_000),
    attestationObject: base64url(32_000),
    authenticatorData: base64url(32_000).optional(),
    transports: z.array(z.string().max(32)).max(8).optional(),
    publicKeyAlgorithm: z.int().optional(),
    publicKey: base64url(8_000).nullish(),
  }),
});

/** What `navigator.credentials.get()` gives, as JSON. */
export const authenticationResponse = z.strictObject({
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal('public-key'),
  authenticatorAttachment: attachment.nullish(),
  clientExtensionResults: extensions.default({}),
  response: z.strictObject({
    clientDataJSON: base64url(8_000),
    authenticatorData: base64url(8_000),
    signature: base64url(8_000),
    userHandle: base64url(200).nullish(),
  }),
});

/** The library's own types know no `null` and no exact optional fields; the values are the same. */
export const asRegistration = (response: z.output<typeof registrationResponse>) =>
  ({ ...response, clientExtensionResults: {} }) as RegistrationResponseJSON;

export const asAuthentication = (response: z.output<typeof authenticationResponse>) =>
  ({ ...response, clientExtensionResults: {} }) as AuthenticationResponseJSON;

const descriptor = z.strictObject({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()).optional(),
});

/** Options for `navigator.credentials.get()`. */
export const requestOptions = z.strictObject({
  challenge: z.string(),
  timeout: z.int().optional(),
  rpId: z.string().optional(),
  allowCredentials: z.array(descriptor).optional(),
  userVerification: z.enum(['required', 'preferred', 'discouraged']).optional(),
  extensions: z.strictObject({}).optional(),
});

/** Options for `navigator.credentials.create()`. */
export const creationOptions = z.strictObject({
  challenge: z.string(),
  rp: z.strictObject({ name: z.string(), id: z.string().optional() }),
  user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.strictObject({ alg: z.int(), type: z.literal('public-key') })),
  timeout: z.int().optional(),
  excludeCredentials: z.array(descriptor).optional(),
  authenticatorSelection: z
    .strictObject({
      residentKey: z.string().optional(),
      requireResidentKey: z.boolean().optional(),
      userVerification: z.string().optional(),
      authenticatorAttachment: z.string().optional(),
    })
    .optional(),
  attestation: z.string().optional(),
  hints: z.array(z.string()).optional(),
  extensions: z.strictObject({ credProps: z.boolean().optional() }).optional(),
});

export const asRequestOptions = (options: PublicKeyCredentialRequestOptionsJSON) =>
  options as z.input<typeof requestOptions>;

export const asCreationOptions = (options: PublicKeyCredentialCreationOptionsJSON) =>
  options as z.input<typeof creationOptions>;
