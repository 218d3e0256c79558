import { expect, test } from 'vitest';
import { createSigner } from './signature.ts';

const signer = createSigner([{ id: 'k1', secret: 'a secret of this test' }]);

test('safety-28: a message that was found genuine says nothing about another body with its attributes', () => {
  const envelope = '{"amount":"1"}';
  const attributes = { signature: signer.sign(envelope) };
  expect(signer.isGenuine({ envelope, attributes })).toBe(true);
  expect(signer.isGenuine({ envelope, attributes })).toBe(true);
  expect(signer.isGenuine({ envelope: '{"amount":"9"}', attributes })).toBe(false);
  expect(signer.isGenuine({ envelope, attributes: { signature: signer.sign('{}') } })).toBe(false);
  expect(signer.isGenuine({ envelope, attributes: {} })).toBe(false);
});

const key = (id: string, secret = 'a secret of this test') => ({ id, secret });

test.each([
  ['a dot in its id, where the signature begins', [key('2026.11')], 'key id "2026.11" has a dot'],
  ['the id of another', [key('k1'), key('k1', 'an older secret')], 'key id "k1" twice'],
  ['no secret', [key('k1', '')], 'key k1 has no secret'],
  ['a secret that is not set', [{ id: 'k1' }], 'key k1 has no secret'],
])('a key with %s is refused: nobody could tell its messages from forged ones', (_what, keys, reason) => {
  expect(() => createSigner(keys as never)).toThrow(reason);
});
