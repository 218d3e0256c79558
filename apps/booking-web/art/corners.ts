import { arch, box, chance, glow, gradient, mix, n, type Palette, picture, shape } from './drawing.ts';

const width = 900;
const height = 600;

/** The courtyard: arcades, a pool and a mulberry tree in the afternoon. */
export function courtyard({ primary, accent }: Palette): string {
  const wall = mix('#e7c9a0', primary, 0.08);
  const random = chance(17);
  const leaves = Array.from({ length: 90 }, () => {
    const angle = random() * Math.PI * 2;
    const far = Math.sqrt(random());
    const [x, y] = [690 + Math.cos(angle) * far * 190, 190 + Math.sin(angle) * far * 130];
    return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(16 + random() * 22)}" fill="${mix('#3f6b3a', '#a3b85a', random())}"/>`;
  });
  const arcade = Array.from({ length: 6 }, (_, at) => {
    const x = 20 + at * 150;
    return [
      arch(x, 168, 120, 232, mix(wall, '#6d4a2c', 0.4)),
      arch(x + 10, 184, 100, 216, mix(wall, '#3d2a1c', 0.68)),
      arch(x + 34, 270, 52, 130, at % 2 === 0 ? '#ffd98a' : mix('#ffd98a', '#3d2a1c', 0.5)),
    ].join('');
  });
  return picture(
    width,
    height,
    [
      `<defs>${gradient('s', [
        [0, '#86b9d6'],
        [1, '#f7e6c8'],
      ])}${gradient('p', [
        [0, mix('#2f8ca3', primary, 0.15)],
        [1, mix('#bfe3e4', primary, 0.05)],
      ])}${glow('g', '#fff3d0', 0.8)}</defs>`,
      box(0, 0, width, height, 'url(#s)'),
      '<circle cx="160" cy="60" r="210" fill="url(#g)"/>',
      box(0, 120, width, 290, wall),
      box(0, 112, width, 16, mix(wall, '#ffffff', 0.35)),
      ...Array.from({ length: 30 }, (_, at) =>
        shape(
          [
            [15 + at * 30, 138],
            [26 + at * 30, 149],
            [15 + at * 30, 160],
            [4 + at * 30, 149],
          ],
          at % 2 === 0 ? mix(primary, '#ffffff', 0.15) : accent,
        ),
      ),
      ...arcade,
      box(0, 400, width, 200, '#d8b98c'),
      ...Array.from({ length: 9 }, (_, at) =>
        shape(
          [
            [at * 112 - 30, 400],
            [at * 112 - 26, 400],
            [450 + (at * 112 - 450) * 1.7, 600],
            [450 + (at * 112 - 462) * 1.7, 600],
          ],
          mix('#d8b98c', '#8a6a44', 0.25),
        ),
      ),
      shape(
        [
          [250, 450],
          [650, 450],
          [740, 570],
          [160, 570],
        ],
        mix('#efe0c4', '#8a6a44', 0.1),
      ),
      shape(
        [
          [270, 458],
          [630, 458],
          [705, 558],
          [195, 558],
        ],
        'url(#p)',
      ),
      ...[0, 1, 2].map(
        at =>
          `<ellipse cx="450" cy="500" rx="${30 + at * 34}" ry="${7 + at * 8}" fill="none" stroke="#fff" stroke-opacity="${0.6 - at * 0.15}" stroke-width="3"/>`,
      ),
      '<path d="M450 500q-4-52-26-66M450 500q4-52 26-66M450 500v-84" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" opacity=".85"/>',
      '<path d="M678 430q10-120 0-220h28q-8 110 6 220z" fill="#6b4a2f"/>',
      ...leaves,
      ...[60, 130, 790, 850].map(
        (x, at) =>
          `${box(x - 20, 470 + (at % 2) * 26, 40, 42, '#b4532f', 6)}<circle cx="${x}" cy="${452 + (at % 2) * 26}" r="30" fill="#5d8a45"/><circle cx="${x - 10}" cy="${444 + (at % 2) * 26}" r="6" fill="${accent}"/><circle cx="${x + 12}" cy="${452 + (at % 2) * 26}" r="6" fill="#e05a5a"/>`,
      ),
    ].join(''),
  );
}

/** Tea on a brass tray, with almonds, and the light of a window. */
export function tea({ primary, accent }: Palette): string {
  const cloth = mix(primary, '#2a1712', 0.25);
  const random = chance(9);
  const glass = (x: number, y: number) =>
    `<path d="M${x - 32} ${y - 104}h64l-8 104h-48z" fill="#fff" opacity=".5"/><path d="M${x - 30} ${y - 78}h60l-7 76h-46z" fill="#c8792b"/><path d="M${x - 30} ${y - 78}h60l-1 12h-58z" fill="#e3a254"/><ellipse cx="${x}" cy="${y}" rx="38" ry="9" fill="#fff" opacity=".75"/><path d="M${x - 8} ${y - 124}q-14-24 0-44t0-44" fill="none" stroke="#fff" stroke-opacity=".4" stroke-width="5" stroke-linecap="round"/>`;
  return picture(
    width,
    height,
    [
      `<defs>${gradient('w', [
        [0, mix('#f7ead4', primary, 0.05)],
        [1, mix('#d9b98f', primary, 0.08)],
      ])}${gradient('b', [
        [0, '#f0cf7d'],
        [1, '#b9822d'],
      ])}${glow('g', '#fff6dc', 0.95)}</defs>`,
      box(0, 0, width, 400, 'url(#w)'),
      '<ellipse cx="700" cy="90" rx="420" ry="300" fill="url(#g)"/>',
      box(0, 380, width, 220, cloth),
      ...Array.from({ length: 16 }, (_, at) =>
        shape(
          [
            [28 + at * 58, 396],
            [50 + at * 58, 410],
            [28 + at * 58, 424],
            [6 + at * 58, 410],
          ],
          at % 2 === 0 ? accent : mix(cloth, '#ffffff', 0.5),
        ),
      ),
      box(0, 432, width, 6, accent),
      '<ellipse cx="450" cy="506" rx="370" ry="72" fill="#000" opacity=".25"/>',
      '<ellipse cx="450" cy="490" rx="370" ry="72" fill="url(#b)"/>',
      '<ellipse cx="450" cy="484" rx="330" ry="58" fill="#d9a441"/>',
      `<path d="M330 470q-40-150 60-190h70q100 40 60 190q-95 30-190 0z" fill="${mix(primary, '#ffffff', 0.12)}"/>`,
      `<path d="M345 380q80 30 160 0v26q-80 30-160 0z" fill="${accent}"/>`,
      `<path d="M388 280q37-34 74 0z" fill="${mix(primary, '#000000', 0.15)}"/><circle cx="425" cy="254" r="12" fill="${accent}"/>`,
      `<path d="M524 350q80-10 84 70q-2 30-60 40" fill="none" stroke="${mix(primary, '#000000', 0.1)}" stroke-width="16" stroke-linecap="round"/>`,
      `<path d="M332 400q-60-6-92-88q50 20 104 34z" fill="${mix(primary, '#ffffff', 0.05)}"/>`,
      glass(640, 508),
      glass(240, 512),
      '<path d="M690 452h130q0 56-65 56t-65-56z" fill="#f6efe2"/>',
      ...Array.from(
        { length: 14 },
        () =>
          `<ellipse cx="${n(706 + random() * 98)}" cy="${n(444 + random() * 10)}" rx="13" ry="7" fill="${mix('#b57a45', '#8a5528', random())}"/>`,
      ),
    ].join(''),
  );
}
