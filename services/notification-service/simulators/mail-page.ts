import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { escapeHtml } from '../wording/safe-text.ts';
import type { ReadMail } from './read-mail.ts';

/** A page on this machine that shows what was caught. */
export type MailPage = { readonly url: string; close(): Promise<void> };

type Caught = ReadMail & { readonly to: readonly string[]; readonly at: Date };

const securityHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Starts it; only this machine can reach it, and only under its own name. */
export async function startMailPage(caught: () => readonly Caught[], port = 0): Promise<MailPage> {
  const server = createServer(({ method, url = '/', headers }, response) => {
    // Another site's name that resolves to this machine must not read the mail.
    const isHere = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(headers.host ?? '');
    if (method !== 'GET' || !isHere) return answer(response, 403, '<p>Only from this machine.</p>');
    const place = /^\/(\d{1,9})$/.exec(url)?.[1];
    if (url === '/') return answer(response, 200, listOf(caught()));
    const mail = place === undefined ? undefined : caught()[Number(place)];
    if (mail === undefined) return answer(response, 404, '<p>No such mail.</p>');
    answer(response, 200, pageOf(mail));
  });
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, status: number, body: string): void {
  const head = '<!doctype html><meta charset="utf-8"><title>Mail catcher</title>';
  const style =
    '<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:1em auto}td{padding:.2em .8em}</style>';
  response.writeHead(status, securityHeaders).end(`${head}${style}${body}`);
}

function listOf(mails: readonly Caught[]): string {
  const rows = mails.map(({ to, subject, text, at }, place) => {
    const shown = subject === 'SMS' ? `SMS: ${text.slice(0, 100)}` : subject;
    return `<tr><td>${at.toISOString().slice(11, 19)}</td><td>${escapeHtml(to.join(', '))}</td>
<td dir="auto"><a href="/${place}">${escapeHtml(shown)}</a></td></tr>`;
  });
  const list = rows.length === 0 ? '<p>Nothing yet.</p>' : `<table>${rows.reverse().join('')}</table>`;
  return `<h1>Mail catcher</h1><p>Nothing here has left this machine.</p>${list}`;
}

function pageOf({ to, subject, text, html, headers }: Caught): string {
  const shown =
    html === null
      ? ''
      : `<iframe sandbox="" style="width:100%;height:28em;border:1px solid #ccc" srcdoc="${escapeHtml(html)}"></iframe>`;
  return `<p><a href="/">All mail</a></p><h1 dir="auto">${escapeHtml(subject)}</h1>
<p>From ${escapeHtml(headers.from ?? '')} to ${escapeHtml(to.join(', '))}</p>${shown}
<pre dir="auto" style="white-space:pre-wrap">${escapeHtml(text)}</pre>`;
}
