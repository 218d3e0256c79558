/** A mail as a person would see it. */
export type ReadMail = {
  /** By name in lower case; the last one where a name comes twice. */
  readonly headers: Readonly<Record<string, string>>;
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
};

/** Decodes a mail: headers with RFC 2047 words, and the text and HTML of a body in any of the usual encodings. */
export function readMail(raw: string): ReadMail {
  const parts = partsOf(raw);
  const { headers } = splitPart(raw);
  const of = (type: string) => parts.find(one => one.type === type)?.content;
  return {
    headers,
    subject: headers.subject ?? '',
    text: of('text/plain') ?? '',
    html: of('text/html') ?? null,
  };
}

type Part = { readonly type: string; readonly content: string };

function partsOf(raw: string): Part[] {
  const { headers, body } = splitPart(raw);
  const type = headers['content-type'] ?? 'text/plain';
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary === undefined) {
    const content = decoded(body, headers['content-transfer-encoding'] ?? '7bit');
    return [
      { type: type.split(';')[0]?.trim().toLowerCase() ?? '', content: content.replaceAll('\r\n', '\n') },
    ];
  }
  const inner = body.split(`--${boundary}`).slice(1, -1);
  return inner.flatMap(part => partsOf(part.replace(/^\r\n/, '').replace(/\r\n$/, '')));
}

function splitPart(raw: string): { headers: Record<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.slice(0, end === -1 ? undefined : end).replaceAll(/\r\n[ \t]+/g, ' ');
  const headers: Record<string, string> = {};
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = words(line.slice(colon + 1).trim());
  }
  return { headers, body: end === -1 ? '' : raw.slice(end + 4) };
}

/** RFC 2047: the space between two encoded words is none. */
function words(text: string): string {
  const together = text.replaceAll(/\?=\s+=\?/g, '?==?');
  return together.replaceAll(/=\?([^?]+)\?([BQ])\?([^?]*)\?=/gi, (_, _charset, how: string, coded: string) =>
    how.toUpperCase() === 'B'
      ? Buffer.from(coded, 'base64').toString('utf8')
      : quotedPrintable(coded.replaceAll('_', ' ')),
  );
}

function decoded(body: string, encoding: string): string {
  if (encoding.toLowerCase() === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding.toLowerCase() === 'quoted-printable') return quotedPrintable(body.replaceAll(/=\r\n/g, ''));
  return Buffer.from(body, 'latin1').toString('utf8');
}

function quotedPrintable(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
