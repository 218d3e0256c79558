import {
  arch,
  box,
  chance,
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

/** The house at dusk under the mountains; `tall` for phones held upright. */
export function hero({ primary, accent }: Palette, tall: boolean): string {
  const [width, height] = tall ? [900, 1100] : [1800, 900];
  const horizon = height * (tall ? 0.6 : 0.62);
  const night = mix(primary, '#101828', 0.72);
  const dusk = mix(mix(primary, '#e8a87c', 0.62), '#fff1dc', 0.1);
  const haze = mix(dusk, '#fff3e0', 0.45);
  const sunX = width * (tall ? 0.68 : 0.7);
  const stars = starsOver(width, horizon * 0.5);
  const layers = [
    { rise: 0.5, seed: 8, colour: mix(haze, night, 0.3) },
    { rise: 0.33, seed: 27, colour: mix(haze, night, 0.52) },
    { rise: 0.2, seed: 5, colour: mix(haze, night, 0.74) },
  ];
  const chains = layers.map(({ rise, seed, colour }, at) => {
    const line = ridge({ width, base: horizon + 20 + at * 26, rise: height * rise, seed, steps: 7 });
    return mountains(line, height, at === 0 ? 'url(#m)' : colour);
  });
  return picture(
    width,
    height,
    `<defs>${gradient('s', [
      [0, night],
      [0.42, mix(night, dusk, 0.62)],
      [0.7, dusk],
      [1, haze],
    ])}${gradient('m', [
      [0, mix('#ffffff', haze, 0.15)],
      [0.13, mix('#ffffff', haze, 0.45)],
      [0.3, layers[0]?.colour ?? haze],
    ])}${glow('g', '#fff0cf')}${glow('w', mix(accent, '#ffd98a', 0.5), 0.75)}</defs>${box(0, 0, width, height, 'url(#s)')}${stars}<circle cx="${n(sunX)}" cy="${n(horizon - height * 0.1)}" r="${n(height * 0.34)}" fill="url(#g)"/><circle cx="${n(sunX)}" cy="${n(horizon - height * 0.12)}" r="${n(height * 0.055)}" fill="#fff4dc"/>${chains.join('')}${town({ width, height, horizon, night, haze })}${house({ width, height, tall, night, accent, primary })}`,
  );
}

function starsOver(width: number, depth: number): string {
  const random = chance(3);
  return Array.from({ length: 60 }, () => {
    const [x, y, size] = [random() * width, random() * depth, 0.7 + random() * 1.3];
    return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(size)}" fill="#fff" opacity="${n(0.2 + random() * 0.6)}"/>`;
  }).join('');
}

type Ground = { width: number; height: number; horizon: number; night: string; haze: string };

/** Flat roofs of a town on the slope, with a light here and there. */
function town({ width, height, horizon, night, haze }: Ground): string {
  const random = chance(41);
  const rows = [0, 1, 2].map(row => {
    const parts: string[] = [];
    const base = horizon + height * (0.07 + row * 0.055);
    for (let x = -20; x < width; ) {
      const wide = 46 + random() * 60;
      const tall = 26 + random() * 40;
      parts.push(
        box(x, base - tall, wide, height - base + tall, mix(haze, night, 0.62 + row * 0.1 + random() * 0.04)),
      );
      if (random() > 0.62) parts.push(box(x + wide * 0.4, base - tall + 12, 7, 10, '#ffd98a'));
      x += wide + (random() > 0.75 ? 24 : 0);
    }
    return parts.join('');
  });
  return rows.join('');
}

/** The house itself: two floors of lit arches, a gate and a dome, between poplars. */
function house(look: Palette & { width: number; height: number; tall: boolean; night: string }): string {
  const { width, height, tall, night, accent, primary } = look;
  const wide = tall ? width * 0.94 : width * 0.56;
  const left = tall ? width * 0.03 : width * 0.4;
  const floor = height * 0.3;
  const top = height - floor * (tall ? 1.12 : 1.22);
  const wall = mix('#c89a6b', night, 0.34);
  const dark = mix('#c89a6b', night, 0.62);
  const light = mix(accent, '#ffdf9c', 0.55);
  const middle = left + wide / 2;
  const gate = wide * 0.19;
  const arches: string[] = [];
  const count = 4;
  for (const side of [0, 1]) {
    const from = side === 0 ? left + 26 : middle + gate / 2 + 22;
    const pitch = (wide / 2 - gate / 2 - 48) / count;
    for (let at = 0; at < count; at += 1) {
      const x = from + pitch * at;
      arches.push(
        arch(x, top + 34, pitch * 0.68, floor * 0.34, at % 3 === side ? mix(light, wall, 0.72) : light),
      );
      arches.push(
        arch(
          x,
          top + 52 + floor * 0.4,
          pitch * 0.68,
          floor * 0.42,
          at === 2 ? mix(light, wall, 0.66) : light,
        ),
      );
    }
  }
  const dome = mix(primary, '#6fb7c9', 0.35);
  return [
    `<ellipse cx="${n(middle)}" cy="${n(height - 20)}" rx="${n(wide * 0.7)}" ry="${n(floor * 0.9)}" fill="url(#w)"/>`,
    `<path d="M${n(middle - gate * 0.62)} ${n(top - 20)}a${n(gate * 0.62)} ${n(gate * 0.7)} 0 0 1 ${n(gate * 1.24)} 0z" fill="${dome}"/>`,
    `<path d="M${n(middle - gate * 0.1)} ${n(top - 20)}a${n(gate * 0.62)} ${n(gate * 0.7)} 0 0 1 ${n(gate * 0.72)} 0z" fill="${mix(dome, '#ffffff', 0.16)}"/>`,
    box(middle - 2, top - 20 - gate * 0.92, 4, gate * 0.26, light),
    box(left, top, wide, height - top, wall),
    box(left, top, wide, 12, mix(wall, '#ffffff', 0.18)),
    box(left, top + 42 + floor * 0.36, wide, 7, mix(wall, '#ffffff', 0.12)),
    ...Array.from({ length: Math.floor(wide / 26) }, (_, at) =>
      box(left + 6 + at * 26, top - 9, 14, 10, wall),
    ),
    box(middle - gate / 2 - 8, top - 26, gate + 16, height - top + 26, mix(wall, '#ffffff', 0.07)),
    ...Array.from({ length: 9 }, (_, at) =>
      shape(diamond(middle - gate * 0.4 + (gate * 0.8 * at) / 8, top - 6, 7), at % 2 === 0 ? dome : light),
    ),
    arch(middle - gate * 0.4, top + 22, gate * 0.8, height - top - 22, mix(dome, night, 0.35)),
    arch(middle - gate * 0.33, top + 44, gate * 0.66, height - top - 44, light),
    arch(middle - gate * 0.2, top + floor * 0.52, gate * 0.4, floor, dark),
    ...arches,
    ...[left - 40, left + 12, left + wide - 6, left + wide + 44].map((x, at) =>
      poplar(x, height, height * (0.42 + (at % 2) * 0.07), night),
    ),
    `<path d="M0 ${height}V${n(height - 40)}Q${n(width * 0.25)} ${n(height - 74)} ${n(width * 0.5)} ${n(height - 30)}T${width} ${n(height - 44)}V${height}Z" fill="${mix(night, '#0c130f', 0.4)}"/>`,
  ].join('');
}

function diamond(x: number, y: number, size: number): [number, number][] {
  return [
    [x, y - size],
    [x + size, y],
    [x, y + size],
    [x - size, y],
  ];
}

function poplar(x: number, bottom: number, tall: number, night: string): string {
  const colour = mix(night, '#1d3a2a', 0.5);
  return `<path d="M${n(x)} ${n(bottom)}C${n(x - tall * 0.11)} ${n(bottom - tall * 0.3)} ${n(x - tall * 0.07)} ${n(bottom - tall * 0.8)} ${n(x)} ${n(bottom - tall)}C${n(x + tall * 0.07)} ${n(bottom - tall * 0.8)} ${n(x + tall * 0.11)} ${n(bottom - tall * 0.3)} ${n(x)} ${n(bottom)}Z" fill="${colour}"/>`;
}
