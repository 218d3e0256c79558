import type { IncomingHttpHeaders } from 'node:http';
import type { TenantId } from '@ghasi/domain-primitives/ids';

/** A second factor that the caller has shown for one named action; the handler consumes it in its transaction. */
export type Attestation = { id: string; action: string };

/** Who sends a request, as the injected authenticator established it. */
export type Principal = {
  kind: 'operator' | 'device' | 'guest' | 'service';
  id: string;
  tenantId: TenantId;
  roles: readonly string[];
  sessionId?: string;
  deviceId?: string;
  /** How the caller proved who he is: `pwd`, `otp`, `hwk` … (RFC 8176). */
  amr: readonly string[];
  attestation?: Attestation;
};

/** What is known of a request before anybody is trusted. */
export type RequestFacts = {
  method: string;
  /** Path without the query. */
  path: string;
  /** Path and query exactly as sent: what a device signs. */
  target: string;
  headers: IncomingHttpHeaders;
  cookies: Readonly<Record<string, string | undefined>>;
  /** The caller's address; forwarded headers count only behind a configured proxy. */
  address: string;
  host: string;
  /** The tenant's short name, when the path (`/t/:slug/…`) or the X-Tenant-Slug header gives one. */
  slug?: string;
  correlationId: string;
  /** SHA-256 of the raw body as lower-case hex. Reads the body, so ask only when a signature covers it. */
  bodySha256(): Promise<string>;
  /** The action that needs a second factor, when the route asks for one. */
  stepUp?: string;
};

/** Finds out who sends a request; throws UNAUTHENTICATED when it cannot. apps/server injects it. */
export type Authenticate = {
  operator(facts: RequestFacts): Promise<Principal>;
  device(facts: RequestFacts): Promise<Principal>;
  guest(facts: RequestFacts): Promise<Principal>;
  service(facts: RequestFacts): Promise<Principal>;
};

/** Finds the tenant that a slug names, else the one that owns a host name. */
export type ResolveTenant = (from: {
  host: string;
  slug?: string;
}) => Promise<{ tenantId: TenantId; status: string } | undefined>;
