import { courtyard, tea } from './corners.ts';
import { hero } from './hero.ts';
import { type RoomKind, room, roomKinds } from './room.ts';

/** Every picture of the demo set. */
export const scenes = [
  'hero-wide',
  'hero-tall',
  'courtyard',
  'tea',
  ...roomKinds.map(kind => `room-${kind}` as const),
] as const;
export type Scene = (typeof scenes)[number];

/** Part of a picture's address: raise it when a drawing changes, since addresses are cached for a year. */
export const ART_VERSION = 1;

const colour = /^[0-9a-f]{6}$/;

/** Draws a scene in two colours, six hex digits each; undefined for anything else. */
export function drawScene(scene: string, primary: string, accent: string): string | undefined {
  if (!colour.test(primary) || !colour.test(accent)) return undefined;
  const palette = { primary: `#${primary}`, accent: `#${accent}` };
  if (scene === 'hero-wide' || scene === 'hero-tall') return hero(palette, scene === 'hero-tall');
  if (scene === 'courtyard') return courtyard(palette);
  if (scene === 'tea') return tea(palette);
  const kind = roomKinds.find(each => scene === `room-${each}`);
  return kind === undefined ? undefined : room(palette, kind);
}

/** The drawing that shows what stands in a room with these beds. */
export function roomKindOf(beds: readonly { kind: string; quantity: number }[]): RoomKind {
  const total = beds.reduce((sum, { quantity }) => sum + quantity, 0);
  if (beds.some(({ kind }) => kind === 'sofa')) return 'suite';
  if (total > 2) return 'family';
  if (total === 2) return 'twin';
  return beds[0]?.kind === 'single' ? 'single' : 'double';
}
