/** The colours of one hotel as a drawing uses them. */
export type Palette = { primary: string; accent: string };

/** Two `#rrggbb` colours mixed; 0 is the first, 1 the second. */
export function mix(first: string, second: string, share: number): string {
  const channel = (at: number) => {
    const [from, to] = [first, second].map(colour => Number.parseInt(colour.slice(at, at + 2), 16));
    return Math.round((from ?? 0) + ((to ?? 0) - (from ?? 0)) * share)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32): a drawing never changes by itself. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A number with at most one digit after the point: drawings travel over slow lines. */
export function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** The whole picture. */
export function picture(width: number, height: number, inside: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" preserveAspectRatio="xMidYMid slice">${inside}</svg>`;
}

/** A top-to-bottom gradient named `id`. */
export function gradient(id: string, stops: readonly (readonly [offset: number, colour: string])[]): string {
  const inside = stops
    .map(([offset, colour]) => `<stop offset="${offset}" stop-color="${colour}"/>`)
    .join('');
  return `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1">${inside}</linearGradient>`;
}

/** A soft light named `id`. */
export function glow(id: string, colour: string, strength = 0.9): string {
  return `<radialGradient id="${id}"><stop offset="0" stop-color="${colour}" stop-opacity="${strength}"/><stop offset="1" stop-color="${colour}" stop-opacity="0"/></radialGradient>`;
}

/** A rectangle. */
export function box(x: number, y: number, width: number, height: number, fill: string, radius = 0): string {
  const round = radius === 0 ? '' : ` rx="${n(radius)}"`;
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" fill="${fill}"${round}/>`;
}

/** A filled shape through points. */
export function shape(points: readonly (readonly [number, number])[], fill: string, more = ''): string {
  return `<polygon points="${points.map(([x, y]) => `${n(x)},${n(y)}`).join(' ')}" fill="${fill}"${more}/>`;
}

/** A doorway or window with the pointed arch of the region. */
export function arch(x: number, y: number, width: number, height: number, fill: string): string {
  const spring = y + height * 0.42;
  const middle = x + width / 2;
  const path = `M${n(x)} ${n(y + height)}V${n(spring)}Q${n(x)} ${n(y + height * 0.12)} ${n(middle)} ${n(y)}Q${n(x + width)} ${n(y + height * 0.12)} ${n(x + width)} ${n(spring)}V${n(y + height)}Z`;
  return `<path d="${path}" fill="${fill}"/>`;
}

/** The line of a mountain chain from left to right, by halving and shaking. */
export function ridge(options: {
  width: number;
  base: number;
  rise: number;
  seed: number;
  steps?: number;
}): [number, number][] {
  const { width, base, rise, seed, steps = 6 } = options;
  const random = chance(seed);
  let line = [random() * 0.5, 0.4 + random() * 0.6, random() * 0.6];
  let shake = 0.5;
  for (let round = 1; round < steps; round += 1) {
    const next: number[] = [];
    for (const [at, height] of line.entries()) {
      next.push(height);
      const after = line[at + 1];
      if (after !== undefined) next.push((height + after) / 2 + (random() - 0.5) * shake);
    }
    line = next;
    shake *= 0.52;
  }
  return line.map((height, at) => [(width * at) / (line.length - 1), base - rise * Math.max(0, height)]);
}

/** A mountain chain down to the bottom of the picture. */
export function mountains(line: readonly [number, number][], bottom: number, fill: string): string {
  const [first, last] = [line[0], line.at(-1)];
  return shape([[first?.[0] ?? 0, bottom], ...line, [last?.[0] ?? 0, bottom]], fill);
}
