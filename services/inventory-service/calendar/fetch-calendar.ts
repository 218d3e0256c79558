import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { seconds } from '@ghasi/domain-primitives/duration';
import { MOST_BYTES } from './content-lines.ts';
import { isPublicAddress } from './public-address.ts';

/** What a portal wants to hear again, to answer "nothing new". */
export type Validators = { readonly etag: string | null; readonly lastModified: string | null };

/** What fetching ended with. `reason` is for people, and quotes neither the address nor what came back. */
export type Fetched =
  | ({ readonly kind: 'fresh'; readonly bytes: Uint8Array } & Validators)
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly reason: string };

/** Fetches a calendar; it never throws for what the other side does. Call it outside any transaction. */
export type FetchCalendar = (url: string, options: Validators & { signal: AbortSignal }) => Promise<Fetched>;

/** Names to addresses, as `node:dns` does it with `all: true`. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** What an installation may allow. */
export type FetchOptions = {
  /** Which addresses may be connected to; default: those on the public internet (safety 24). */
  mayConnect?: (address: string) => boolean;
  /** Default 10 s, from the first byte sent to the last byte read, redirects included. */
  timeoutMs?: number;
  /** Default: the system's resolver. */
  lookup?: Lookup;
};

const REDIRECTS = 3;
const redirecting = new Set([301, 302, 303, 307, 308]);

class Refused extends Error {}

/** Makes the function that fetches calendars for an installation. */
export function createFetchCalendar(options: FetchOptions = {}): FetchCalendar {
  const { timeoutMs = seconds(10) } = options;
  return async (url, { etag, lastModified, signal }) => {
    const inTime = AbortSignal.timeout(timeoutMs);
    try {
      const reply = await follow(url, {
        etag,
        lastModified,
        signal: AbortSignal.any([signal, inTime]),
        options,
      });
      return await read(reply, etag !== null || lastModified !== null);
    } catch (error) {
      if (error instanceof Refused) return { kind: 'failed', reason: error.message };
      if (inTime.aborted) return { kind: 'failed', reason: `it took longer than ${timeoutMs / 1_000} s` };
      if (signal.aborted) throw error;
      return { kind: 'failed', reason: `it cannot be reached (${codeOf(error)})` };
    }
  };
}

/** Why an address can never be fetched; undefined when it may be tried. Names are judged when they are connected to. */
export function whyNotFetched(
  url: string,
  { mayConnect = isPublicAddress }: FetchOptions = {},
): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return 'it is not http or https';
  if (parsed.username !== '' || parsed.password !== '') return 'it has a user name in it';
  const host = parsed.hostname.replace(/^\[|\]$/g, ''); // the parser has made 127.0.0.1 of 0x7f.1 and 2130706433
  if (isIP(host) !== 0 && !mayConnect(host)) return notPublic;
  return undefined;
}

const notPublic = 'its address is not on the public internet';

type Asking = Validators & { signal: AbortSignal; options: FetchOptions };

async function follow(url: string, asking: Asking): Promise<IncomingMessage> {
  let at = url;
  for (let redirects = 0; redirects <= REDIRECTS; redirects += 1) {
    const problem = whyNotFetched(at, asking.options);
    if (problem !== undefined) throw new Refused(problem);
    const reply = await send(new URL(at), asking);
    if (!redirecting.has(reply.statusCode ?? 0)) return reply;
    reply.destroy();
    const { location } = reply.headers;
    const next = location === undefined ? null : URL.parse(location, at);
    if (next === null) throw new Refused('it redirects to nowhere');
    // The address holds a secret: it does not travel in the clear because a portal says so.
    if (at.startsWith('https:') && next.protocol !== 'https:')
      throw new Refused('it redirects away from https');
    at = next.href;
  }
  throw new Refused(`it redirects more than ${REDIRECTS} times`);
}

function send(url: URL, { etag, lastModified, signal, options }: Asking): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const sent = request(url, {
      agent: false, // a connection of its own: one that was checked for another name is not used again
      headers: {
        accept: 'text/calendar, text/plain;q=0.5, */*;q=0.1',
        'accept-encoding': 'identity', // a small answer stays small
        'user-agent': 'melmastoon-inventory',
        ...(etag === null ? {} : { 'if-none-match': etag }),
        ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
      },
      lookup: guarded(options) as never,
      signal,
    });
    sent.on('response', resolve).on('error', reject).end();
  });
}

/** The resolver of a connection: what it lets through is what is connected to, so no later answer can differ from it. */
function guarded({ mayConnect = isPublicAddress, lookup = systemLookup as Lookup }: FetchOptions) {
  type Done = (error: Error | null, address?: string | LookupAddress[], family?: number) => void;
  return (hostname: string, asked: LookupOptions, done: Done) => {
    lookup(hostname, { ...asked, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return done(error ?? new Refused('its name has no address'));
      if (!addresses.every(({ address }) => mayConnect(address))) return done(new Refused(notPublic));
      return asked.all === true ? done(null, addresses) : done(null, first.address, first.family);
    });
  };
}

async function read(reply: IncomingMessage, isConditional: boolean): Promise<Fetched> {
  const { statusCode, headers } = reply;
  try {
    if (statusCode === 304 && isConditional) return { kind: 'unchanged' };
    if (statusCode !== 200) throw new Refused(`it answers with status ${statusCode}`);
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new Refused('it is compressed');
    if (Number(headers['content-length'] ?? 0) > MOST_BYTES) throw tooLarge();
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of reply) {
      size += (chunk as Buffer).length;
      if (size > MOST_BYTES) throw tooLarge();
      chunks.push(chunk as Buffer);
    }
    return {
      kind: 'fresh',
      bytes: Buffer.concat(chunks, size),
      etag: sendable(headers.etag),
      lastModified: sendable(headers['last-modified']),
    };
  } finally {
    reply.destroy();
  }
}

const tooLarge = () => new Refused(`it has more than ${MOST_BYTES} bytes`);

/** A header as it can be sent back; one that cannot is forgotten. */
function sendable(value: string | undefined): string | null {
  return value !== undefined && /^[\x20-\x7e]{1,256}$/.test(value) ? value : null;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^[A-Z_0-9]{1,40}$/.test(code) ? code : 'no answer';
}
