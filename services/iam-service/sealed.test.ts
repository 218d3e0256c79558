import { newId } from '@ghasi/domain-primitives/ids';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeCursor, readCursor } from './cursor.ts';
import { installationKeys } from './installation-keys.ts';
import { seal, unseal } from './sealed.ts';
import { hashToken, newSecretToken, newTypedCode } from './secret-token.ts';

const OLD = 'the old secret of this installation, long enough';
const NEW = 'the new secret of this installation, long enough';
const keys = installationKeys([OLD]);
const place = { purpose: 'totp secret', context: ['tenant', 'operator', 'factor'] };

test('what was sealed opens again, and no two seals of the same text are alike', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), plain => {
      const [a, b] = [seal(keys, plain, place), seal(keys, plain, place)];
      expect(unseal(keys, a, place)).toEqual(Buffer.from(plain));
      expect(a.equals(b)).toBe(false);
    }),
  );
});

test('safety-44: a changed byte, another place or another purpose does not open', () => {
  const sealed = seal(keys, Buffer.from('secret'), place);
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => unseal(keys, changed, place)).toThrow();
  }
  expect(() => unseal(keys, sealed, { ...place, context: ['tenant', 'operator', 'other'] })).toThrow();
  expect(() => unseal(keys, sealed, { ...place, context: ['tenantoperator', 'factor'] })).toThrow();
  expect(() => unseal(keys, sealed, { ...place, purpose: 'signing key' })).toThrow();
  for (const short of [Buffer.alloc(0), sealed.subarray(0, 20)])
    expect(() => unseal(keys, short, place)).toThrow();
});

test('safety-44: a replaced secret still opens what it sealed while it is listed, and seals nothing new', () => {
  const sealed = seal(keys, Buffer.from('secret'), place);
  const both = installationKeys([NEW, OLD]);
  expect(unseal(both, sealed, place).toString()).toBe('secret');
  const fresh = seal(both, Buffer.from('secret'), place);
  expect(() => unseal(keys, fresh, place)).toThrow(/no longer configured/);
  expect(unseal(installationKeys([NEW]), fresh, place).toString()).toBe('secret');
});

test('two purposes never share a key', () => {
  expect(keys.newest('a').key.equals(keys.newest('b').key)).toBe(false);
});

test('safety-52: cursors are good for their list only', () => {
  const id = newId('slg');
  const cursor = makeCursor(keys, ['tenant', 'log'], id);
  expect(readCursor(keys, ['tenant', 'log'], { cursor, prefix: 'slg' })).toBe(id);
  expect(() => readCursor(keys, ['other', 'log'], { cursor, prefix: 'slg' })).toThrow(
    /not made for this list/,
  );
  expect(() => readCursor(keys, ['tenant', 'log'], { cursor, prefix: 'usr' })).toThrow(
    /not made for this list/,
  );
  expect(() => readCursor(installationKeys([NEW]), ['tenant', 'log'], { cursor, prefix: 'slg' })).toThrow();
  fc.assert(
    fc.property(fc.string(), text => {
      expect(() => readCursor(keys, ['tenant', 'log'], { cursor: text, prefix: 'slg' })).toThrow(/not made/);
    }),
  );
});

test('a token of one kind is no token of another, and typed codes forgive how people type', () => {
  const token = newSecretToken('refresh');
  expect(hashToken('refresh', token.text).equals(token.hash)).toBe(true);
  expect(hashToken('sign-in', token.text).equals(token.hash)).toBe(false);
  const code = newTypedCode('recovery');
  expect(code.text).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/);
  const typed = ` ${code.text.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}`;
  expect(hashToken('recovery', typed).equals(code.hash)).toBe(true);
});
