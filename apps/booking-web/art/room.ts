import {
  arch,
  box,
  glow,
  gradient,
  mix,
  mountains,
  n,
  type Palette,
  picture,
  ridge,
  shape,
} from './drawing.ts';

/** What stands in a room. */
export const roomKinds = ['single', 'double', 'twin', 'family', 'suite'] as const;
export type RoomKind = (typeof roomKinds)[number];

const width = 900;
const height = 600;
const floorY = 420;

/** A room with a window to the mountains, a rug and the beds of its kind. */
export function room({ primary, accent }: Palette, kind: RoomKind): string {
  const at = roomKinds.indexOf(kind);
  const wall = mix(['#f3e3cd', '#efe0d2', '#e9e2d4', '#f1dfc6', '#ecdccb'][at] ?? '#f3e3cd', primary, 0.07);
  const wood = mix('#7a4a28', primary, 0.12);
  const windows = kind === 'suite' ? [90, 610] : kind === 'family' ? [600] : kind === 'twin' ? [345] : [90];
  return picture(
    width,
    height,
    [
      `<defs>${gradient('w', [
        [0, mix(wall, '#ffffff', 0.25)],
        [1, mix(wall, '#b98d62', 0.16)],
      ])}${gradient('k', [
        [0, '#9cc6dd'],
        [0.75, '#f6e3c5'],
      ])}${gradient('f', [
        [0, mix('#a8794f', primary, 0.08)],
        [1, mix('#7d5231', primary, 0.08)],
      ])}${glow('l', '#ffe6ac', 0.85)}${glow('d', '#3a2413', 0.35)}</defs>`,
      box(0, 0, width, floorY, 'url(#w)'),
      box(0, floorY - 14, width, 14, mix(wood, '#ffffff', 0.18)),
      box(0, floorY, width, height - floorY, 'url(#f)'),
      ...[0, 1, 2, 3].map(line =>
        box(0, floorY + 20 + line * line * 15 + line * 12, width, 2, mix('#7d5231', '#000000', 0.14)),
      ),
      ...windows.map((x, index) => window(x, primary, 20 + at * 7 + index)),
      picturesFor(kind, primary, accent),
      rug({ primary, accent }),
      ...furniture(kind, { primary, accent, wood }),
      lamp(kind === 'twin' ? 760 : 450, wood),
    ].join(''),
  );
}

function window(x: number, primary: string, seed: number): string {
  const [y, wide, tall] = [70, 210, 270];
  const id = `c${seed}`;
  const line = ridge({ width: wide, base: y + 210, rise: 120, seed, steps: 5 }).map(
    ([px, py]) => [x + px, py] as [number, number],
  );
  const near = ridge({ width: wide, base: y + 235, rise: 70, seed: seed + 3, steps: 5 }).map(
    ([px, py]) => [x + px, py] as [number, number],
  );
  const curtain = mix(primary, '#ffffff', 0.12);
  return [
    arch(x - 22, y - 26, wide + 44, tall + 40, mix('#8a5a34', '#ffffff', 0.3)),
    arch(x - 12, y - 14, wide + 24, tall + 22, mix('#8a5a34', '#ffffff', 0.05)),
    `<clipPath id="${id}">${arch(x, y, wide, tall, '#fff')}</clipPath><g clip-path="url(#${id})">`,
    box(x, y, wide, tall, 'url(#k)'),
    mountains(line, y + tall, '#b9a9a6'),
    mountains(near, y + tall, '#8d8a78'),
    box(x, y + 232, wide, 60, '#7d8b5b'),
    ...[20, 60, 150, 185].map(
      px => `<ellipse cx="${x + px}" cy="${y + 218}" rx="9" ry="${30 + (px % 13)}" fill="#5c6f45"/>`,
    ),
    box(x + wide / 2 - 3, y, 6, tall, '#7a4a28'),
    box(x, y + 120, wide, 5, '#7a4a28'),
    '</g>',
    `<path d="M${x - 40} ${y - 34}h62q-4 170-46 322h-30q22-160 14-322z" fill="${curtain}"/>`,
    `<path d="M${x + wide + 40} ${y - 34}h-62q4 170 46 322h30q-22-160-14-322z" fill="${mix(curtain, '#000000', 0.08)}"/>`,
    box(x - 58, y - 42, wide + 116, 9, '#6b4226', 4),
    box(x - 16, y + tall, wide + 32, 12, mix('#8a5a34', '#ffffff', 0.25), 3),
  ].join('');
}

function picturesFor(kind: RoomKind, primary: string, accent: string): string {
  if (kind === 'suite') return '';
  const x = kind === 'family' ? 200 : kind === 'twin' ? 110 : 600;
  return [
    box(x, 110, 110, 140, '#6b4226', 4),
    box(x + 9, 119, 92, 122, '#f7efe0'),
    ...[0, 1, 2].map(at =>
      shape(
        [
          [x + 55, 130 + at * 14],
          [x + 95 - at * 12, 180],
          [x + 55, 230 - at * 14],
          [x + 15 + at * 12, 180],
        ],
        [primary, accent, mix(primary, '#ffffff', 0.55)][at] ?? primary,
      ),
    ),
  ].join('');
}

/** A rug of the north: a field in the hotel's colour, a border, and guls in a row. */
function rug({ primary, accent }: Palette): string {
  const deep = mix(primary, '#5a1018', 0.35);
  const slope = (x: number, y: number): [number, number] => [
    450 + (x - 450) * (0.72 + ((y - 455) / 145) * 0.4),
    y,
  ];
  const frame = (inset: number): [number, number][] => [
    slope(110 + inset, 455 + inset * 0.5),
    slope(790 - inset, 455 + inset * 0.5),
    slope(790 - inset, 596 - inset * 0.4),
    slope(110 + inset, 596 - inset * 0.4),
  ];
  const guls = Array.from({ length: 7 }, (_, at) => {
    const [x, y] = slope(190 + at * 87, 526);
    const leaf = (size: number, fill: string) =>
      shape(
        [
          [x, y - size * 0.8],
          [x + size, y - size * 0.3],
          [x + size, y + size * 0.3],
          [x, y + size * 0.8],
          [x - size, y + size * 0.3],
          [x - size, y - size * 0.3],
        ],
        fill,
      );
    return leaf(34, accent) + leaf(26, mix(deep, '#000000', 0.2)) + leaf(12, '#f4e6cf');
  });
  return [
    shape(frame(0), mix(deep, '#000000', 0.25)),
    shape(frame(12), mix(accent, '#f4e6cf', 0.4)),
    shape(frame(22), deep),
    ...guls,
  ].join('');
}

type Wood = Palette & { wood: string };

function furniture(kind: RoomKind, look: Wood): string[] {
  if (kind === 'single') return [table(560, look), bed(640, 200, look, 0)];
  if (kind === 'double') return [table(400, look), bed(480, 350, look, 0)];
  if (kind === 'twin') return [bed(60, 230, look, 0), table(330, look), bed(610, 230, look, 1)];
  if (kind === 'family')
    return [bed(80, 330, look, 0), ...[0, 1, 2].map(at => mattress(470 + at * 132, look, at))];
  return [bed(330, 260, look, 0), sofa(640, look), table(240, look)];
}

function bed(x: number, wide: number, { primary, accent, wood }: Wood, turn: number): string {
  const cover = turn === 0 ? primary : mix(primary, accent, 0.55);
  const pillows = wide > 300 ? [x + 26, x + wide / 2 + 12] : [x + wide / 2 - 62];
  return [
    `<ellipse cx="${n(x + wide / 2)}" cy="566" rx="${n(wide * 0.62)}" ry="26" fill="url(#d)"/>`,
    `<path d="M${x - 8} 520V300q0-34 40-40h${wide - 64}q40 6 40 40v220z" fill="${wood}"/>`,
    ...Array.from({ length: Math.floor(wide / 46) }, (_, at) =>
      arch(x + 14 + at * 46, 282, 30, 66, mix(wood, '#000000', 0.22)),
    ),
    box(x, 400, wide, 130, '#fbf6ec', 10),
    ...pillows.map(
      px =>
        box(px, 366, wide > 300 ? wide / 2 - 40 : 124, 56, '#ffffff', 20) +
        box(px + 10, 404, wide > 300 ? wide / 2 - 60 : 104, 10, '#e6dccb', 5),
    ),
    `<path d="M${x - 6} 446q${n(wide / 2)} -22 ${wide + 12} 0v90q-8 14-22 14h-${wide - 32}q-14 0-22-14z" fill="${cover}"/>`,
    ...[0, 1].map(
      at =>
        `<path d="M${x - 6} ${470 + at * 40}q${n(wide / 2)} -20 ${wide + 12} 0v12q-${n(wide / 2)} -20-${wide + 12} 0z" fill="${at === 0 ? accent : mix(cover, '#ffffff', 0.55)}"/>`,
    ),
    box(x + 4, 548, 18, 24, wood, 3),
    box(x + wide - 22, 548, 18, 24, wood, 3),
  ].join('');
}

function mattress(x: number, { primary, accent }: Wood, at: number): string {
  const cover =
    [mix(primary, '#ffffff', 0.2), mix(accent, '#b4532f', 0.4), mix(primary, '#2d4a5a', 0.5)][at] ?? primary;
  return [
    `<ellipse cx="${x + 60}" cy="566" rx="76" ry="16" fill="url(#d)"/>`,
    box(x, 500, 120, 62, cover, 12),
    box(x, 500, 120, 16, mix(cover, '#ffffff', 0.3), 8),
    box(x + 14, 472, 92, 38, '#fffaf0', 16),
    box(x + 14, 534, 92, 6, accent, 3),
  ].join('');
}

function sofa(x: number, { primary, accent, wood }: Wood): string {
  const cloth = mix(primary, '#ffffff', 0.22);
  return [
    `<ellipse cx="${x + 115}" cy="560" rx="140" ry="18" fill="url(#d)"/>`,
    box(x, 430, 230, 90, mix(cloth, '#000000', 0.1), 16),
    box(x - 14, 470, 34, 80, cloth, 12),
    box(x + 210, 470, 34, 80, cloth, 12),
    box(x + 12, 492, 206, 52, cloth, 8),
    ...[0, 1].map(
      at =>
        `<g transform="rotate(${at === 0 ? -8 : 9} ${x + 65 + at * 100} 470)">${box(x + 36 + at * 100, 444, 58, 54, at === 0 ? accent : mix(accent, '#b4532f', 0.5), 9)}</g>`,
    ),
    box(x + 4, 546, 16, 18, wood, 3),
    box(x + 210, 546, 16, 18, wood, 3),
  ].join('');
}

/** A low table with a tea pot and two glasses. */
function table(x: number, { wood, accent }: Wood): string {
  return [
    box(x + 6, 470, 8, 76, wood),
    box(x + 56, 470, 8, 76, wood),
    box(x, 460, 70, 12, mix(wood, '#ffffff', 0.12), 4),
    `<path d="M${x + 20} 460q-8-30 12-34h8q20 4 12 34z" fill="${mix(accent, '#ffffff', 0.35)}"/>`,
    `<path d="M${x + 51} 438q16 0 12 16" fill="none" stroke="${mix(accent, '#ffffff', 0.35)}" stroke-width="4"/>`,
    box(x + 4, 444, 11, 16, '#c8792b', 3),
  ].join('');
}

function lamp(x: number, wood: string): string {
  return [
    box(x - 2, 0, 4, 56, wood),
    `<circle cx="${x}" cy="92" r="150" fill="url(#l)"/>`,
    `<path d="M${x - 34} 96q4-44 34-44t34 44q-34 14-68 0z" fill="#d9a441"/>`,
    `<ellipse cx="${x}" cy="97" rx="33" ry="8" fill="#fff3cf"/>`,
  ].join('');
}
