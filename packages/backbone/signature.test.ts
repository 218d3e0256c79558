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
