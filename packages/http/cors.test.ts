import { expect, test } from 'vitest';
import { corsHeaders, parseOrigins } from './cors.ts';

test('safety-33: without a list no origin gets a CORS header', () => {
  expect(corsHeaders({ origin: 'https://evil.example' }, new Set())).toEqual({});
});

test('safety-33: only an origin on the list is answered, letter for letter', () => {
  const allowed = parseOrigins(['https://desk.example']);
  expect(corsHeaders({ origin: 'https://desk.example' }, allowed)).toMatchObject({
    'access-control-allow-origin': 'https://desk.example',
    'access-control-allow-credentials': 'true',
    vary: 'Origin',
  });
  for (const origin of [
    'null',
    'https://desk.example.evil.example',
    'http://desk.example',
    'https://Desk.example',
  ]) {
    expect(corsHeaders({ origin }, allowed)).toEqual({ vary: 'Origin' });
  }
});

test.each([
  '*',
  'null',
  'desk.example',
  'https://desk.example/',
  'https://desk.example/path',
  'HTTPS://desk.example',
])('safety-33: %s cannot be put on the list', origin => {
  expect(() => parseOrigins([origin])).toThrow(/is not an origin/);
});
