import { expect, test } from 'vitest';
import { drawScene, roomKindOf, scenes } from './scenes.ts';

test('every scene is drawn in the colours of the hotel, the same each time, small, and asks for nothing', () => {
  for (const scene of scenes) {
    const drawn = drawScene(scene, '12607f', 'e9c46a') ?? '';
    expect(drawn).toBe(drawScene(scene, '12607f', 'e9c46a'));
    expect(drawn).not.toBe(drawScene(scene, '8c1c2b', 'f2c14e'));
    expect(drawn).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 \d+ \d+"/);
    expect(drawn.match(/<g[ >]/g)?.length ?? 0).toBe(drawn.match(/<\/g>/g)?.length ?? 0);
    expect(drawn).not.toMatch(/NaN|undefined|<script|href|<image|style=/);
    expect(drawn.length).toBeLessThan(30_000);
  }
});

test('anything but a scene and two colours draws nothing', () => {
  expect(drawScene('nothing', '12607f', 'e9c46a')).toBeUndefined();
  expect(drawScene('tea', '12607', 'e9c46a')).toBeUndefined();
  expect(drawScene('tea', '12607f', '"/><script>')).toBeUndefined();
});

test.each([
  ['single', [{ kind: 'single', quantity: 1 }]],
  ['double', [{ kind: 'king', quantity: 1 }]],
  ['twin', [{ kind: 'single', quantity: 2 }]],
  [
    'family',
    [
      { kind: 'double', quantity: 1 },
      { kind: 'floor_mattress', quantity: 3 },
    ],
  ],
  [
    'suite',
    [
      { kind: 'king', quantity: 1 },
      { kind: 'sofa', quantity: 1 },
    ],
  ],
] as const)('a room with beds of a %s is shown as one', (kind, beds) => {
  expect(roomKindOf(beds)).toBe(kind);
});
