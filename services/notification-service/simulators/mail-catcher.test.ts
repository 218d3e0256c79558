import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoPost, openDemoPost } from '../demo.ts';
import type { Outgoing } from '../message-channel.ts';

let post: DemoPost;
beforeAll(async () => {
  post = await openDemoPost();
});
afterAll(() => post?.close());

const message = {
  tenantId: '0198c8f4-3e2a-7b1c-8d4e-5f6a7b8c9d0e',
  messageId: 'msg_01J8ZQ4T3Y5V6W7X8Y9Z0A1B2C',
  attempt: 1,
  senderName: 'Bala Hissar',
  replyTo: null,
  subject: 'خوش آمدید <b>',
  text: 'متن <script>alert(1)</script>',
  html: '<p>متن</p><script>alert(1)</script>',
  locale: 'fa-AF',
  validForMs: 3_600_000,
  receiptUrl: '',
} as unknown as Outgoing;
const [mail, sms] = ['email', 'sms'] as const;
const channel = (kind: string) => post.channels.find(one => one.channel === kind);

test('the demo’s e-mail and SMS can be looked at on this machine, and are nobody’s script', async () => {
  await channel(mail)?.send({ ...message, to: 'guest@guest.example' });
  await channel(sms)?.send({ ...message, to: '+93700123456', text: 'خوش آمدید' });
  const { pageUrl = '' } = post;
  const list = await fetch(pageUrl);
  const text = await list.text();
  expect(text).toContain('خوش آمدید &lt;b&gt;');
  expect(text).toContain('93700123456@sms.example');
  expect(list.headers.get('content-security-policy')).toContain("default-src 'none'");
  const shown = await (await fetch(`${pageUrl}0`)).text();
  expect(shown).toContain('<iframe sandbox=""');
  expect(shown).not.toContain('<script>');
  expect((await fetch(`${pageUrl}99`)).status).toBe(404);
});

test('only this machine under its own name may look', async () => {
  const { hostname, port } = new URL(post.pageUrl ?? '');
  expect(hostname).toBe('127.0.0.1');
  expect(post.catcher.host).toBe('127.0.0.1');
  const status = await new Promise<number | undefined>(resolve => {
    request({ host: '127.0.0.1', port, headers: { host: 'evil.example' } }, reply => {
      resolve(reply.statusCode);
      reply.resume();
    }).end();
  });
  expect(status).toBe(403);
});
