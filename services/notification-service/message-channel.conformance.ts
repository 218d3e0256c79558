import { newId } from '@ghasi/domain-primitives/ids';
import { newTenantId } from '@ghasi/testing/tenants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MessageChannel, NoAnswer, type Outgoing } from './message-channel.ts';
import type { BounceReason } from './model.ts';

/** What the other side has, as its reader would see it. `id`: by which it knows a repetition. */
export type Arrived = { readonly id: string; readonly to: string; readonly text: string };

/** How a call goes wrong. The first two had no effect, the others had. */
export type ChannelFault = 'cut' | 'error' | 'lost' | 'garbage' | 'silent';

/** A channel to be proved, and the provider behind it, which the suite makes misbehave. */
export type Candidate = {
  readonly channel: MessageChannel;
  /** Two addresses it can reach. */
  readonly addresses: readonly [string, string];
  misbehave(fault: ChannelFault): void;
  /** The next message is refused for this reason. */
  refuse(reason: BounceReason, permanent: boolean): void;
  readonly refusals: readonly (readonly [BounceReason, boolean])[];
  /** Everything that arrived; a repetition that the other side recognises counts once. */
  arrived(): readonly Arrived[];
  close(): Promise<void>;
};

/** What every remote channel promises: run it for each adapter against its own simulator, with the faults that has. */
export function messageChannelConformance(
  name: string,
  faults: readonly ChannelFault[],
  open: () => Promise<Candidate>,
): void {
  describe(`message channel ${name}`, () => {
    let it: Candidate;
    beforeAll(async () => {
      it = await open();
    });
    afterAll(() => it?.close());

    const message = (more: Partial<Outgoing> = {}): Outgoing => ({
      tenantId: newTenantId(),
      messageId: newId('msg'),
      attempt: 1,
      to: it.addresses[0],
      senderName: 'Bala Hissar',
      replyTo: null,
      subject: 'A subject',
      text: 'A text',
      html: null,
      locale: 'en',
      validForMs: 3_600_000,
      receiptUrl: 'http://127.0.0.1:9/',
      ...more,
    });
    /** As the sender does it after silence: asks where it can, else repeats the same try. */
    const again = async (which: Outgoing) => {
      const known = await it.channel.inquire?.(which);
      return known === undefined || known.state === 'absent' ? it.channel.send(which) : known;
    };
    const arrivedSince = (count: number) => it.arrived().slice(count);

    test('takes a message and gives it a name; one address gets it, once', async () => {
      const before = it.arrived().length;
      const to = it.addresses[1];
      const said = await it.channel.send(message({ to }));
      expect(said).toMatchObject({ state: 'accepted', reference: expect.stringMatching(/^\S{1,200}$/) });
      expect(arrivedSince(before)).toMatchObject([{ to, text: 'A text' }]);
    });

    test.each([
      ['Pashto', 'ښه راغلاست، ۱ وری ۱۴۰۵ «K7QMX3PD» ؋ ۵٬۴۰۰'],
      ['Dari with a non-joiner', 'شب‌ها: ۳؛ می‌ماند'],
      ['English that looks like a protocol', 'Line.\n.\nQUIT & <b>=?utf-8?Q?x?= "quoted" %0d%0a{1}'],
      ['a long text', 'Welcome to the house. '.repeat(60).trim()],
    ])('%s arrives as it was written', async (_what, text) => {
      const before = it.arrived().length;
      await it.channel.send(message({ text, locale: 'ps' }));
      expect(arrivedSince(before).map(one => one.text)).toEqual([text]);
    });

    test('safety-39: line breaks in names and subjects add no header, no reader and no text', async () => {
      const before = it.arrived().length;
      const evil = 'x\r\nBcc: everybody@example.com\r\n\r\nAnother text';
      await it.channel.send(message({ subject: evil, senderName: evil }));
      expect(arrivedSince(before)).toMatchObject([{ to: it.addresses[0], text: 'A text' }]);
    });

    test('the same try again is the same message, a new try is another', async () => {
      const before = it.arrived().length;
      const first = message();
      await it.channel.send(first);
      await again(first);
      expect(arrivedSince(before)).toHaveLength(1);
      expect(await it.channel.send({ ...first, attempt: 2 })).toMatchObject({ state: 'accepted' });
    });

    test.each(faults)('an answer that is %s is NoAnswer, and afterwards it arrives once', async fault => {
      const before = it.arrived().length;
      const which = message();
      it.misbehave(fault);
      const failure = await it.channel.send(which).catch(error => error as unknown);
      expect(failure).toBeInstanceOf(NoAnswer);
      expect(String(failure)).not.toContain(it.addresses[0]);
      expect((failure as Error).cause).toBeUndefined();
      expect(await again(which)).toMatchObject({ state: 'accepted' });
      expect(arrivedSince(before)).toHaveLength(1);
    });

    test('each refusal has a reason of ours, and says whether to try again', async () => {
      for (const [reason, permanent] of it.refusals) {
        const before = it.arrived().length;
        it.refuse(reason, permanent);
        expect(await it.channel.send(message())).toEqual({ state: 'refused', reason, permanent });
        expect(arrivedSince(before)).toEqual([]);
      }
      expect(it.refusals.length).toBeGreaterThan(2);
    });

    test('what is no receipt of this provider is none', () => {
      const now = new Date();
      expect(it.channel.readReceipts({ headers: {}, bodySha256: '', body: {}, now })).toBeUndefined();
    });
  });
}
