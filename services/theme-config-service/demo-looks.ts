import { idFromUuid, parseTenantId } from '@ghasi/domain-primitives/ids';
import type { NewBlock, TokenValues } from './contract/resources.ts';
import type { SeedLook } from './demo.ts';
import { overlay, platformLook } from './model.ts';

/** The numbering of the demo: a group has 0x100, 0x200 …; its preset is +0x11, its theme +0x12, its texts +0x90 …. */
const demoUuid = (n: number) => `0193de70-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

type Names = readonly [en: string, ps: string, dari: string];
type Look = { name: Names; colours: TokenValues; own: TokenValues; texts: readonly Text[] };
type Text = { placement: NewBlock['placement']; says: Names };

const inAll = ([en, ps, dari]: Names) => [
  { locale: 'en' as const, text: en },
  { locale: 'ps' as const, text: ps },
  { locale: 'fa-AF' as const, text: dari },
];

const cash: Text = {
  placement: 'checkout',
  says: [
    'At flexible prices you can pay in cash on arrival. We keep your room until the hour in your confirmation.',
    'د انعطاف وړ نرخ سره تاسو کولای شئ د رارسېدو پر وخت نغدې پیسې ورکړئ. خونه مو د تایید تر ساعته ساتو.',
    'با نرخ انعطاف‌پذیر می‌توانید هنگام رسیدن نقد بپردازید. اتاق شما را تا ساعت درج‌شده در تایید نگه می‌داریم.',
  ],
};
const thanks: Text = {
  placement: 'confirmation',
  says: [
    'Thank you. Show this code at the desk; it works without the internet too.',
    'مننه. دا کوډ پذیرايي ته وښایاست؛ بې انټرنېټه هم کار کوي.',
    'تشکر. این کد را در پذیرش نشان دهید؛ بدون انترنت هم کار می‌کند.',
  ],
};

function look(group: number, { name, colours, own, texts }: Look): SeedLook {
  return {
    tenantId: parseTenantId(demoUuid(group)),
    preset: {
      id: idFromUuid('thp', demoUuid(group + 0x11)),
      name: inAll(name),
      tokens: overlay(platformLook, colours),
    },
    theme: { id: idFromUuid('thm', demoUuid(group + 0x12)), overrides: own },
    blocks: [...texts, cash, thanks].map(({ placement, says }, n) => ({
      id: idFromUuid('cbk', demoUuid(group + 0x90 + n)),
      placement,
      position: n,
      text: inAll(says),
    })),
  };
}

/** The looks of the three invented groups of the demo. */
export const demoLooks: readonly SeedLook[] = [
  look(0x100, {
    name: ['Pomegranate', 'انار', 'انار'],
    colours: [
      { name: 'colour.primary', value: '#8c1c2b' },
      { name: 'colour.background', value: '#fdf7f2' },
    ],
    own: [{ name: 'radius.card', value: '16px' }],
    texts: [
      {
        placement: 'home',
        says: [
          'Below the citadel, ten minutes from the bazaar.',
          'د بالاحصار په لمن کې، له بازاره لس دقیقې لرې.',
          'پای بالاحصار، ده دقیقه تا بازار.',
        ],
      },
    ],
  }),
  look(0x200, {
    name: ['Tile blue', 'کاشي شین', 'آبی کاشی'],
    colours: [
      { name: 'colour.primary', value: '#12607f' },
      { name: 'colour.accent', value: '#e9c46a' },
    ],
    own: [{ name: 'font.heading', value: 'Noto Naskh Arabic' }],
    texts: [
      {
        placement: 'home',
        says: [
          'A garden of pines above Herat, with tea at every hour.',
          'د هرات له پاسه د نښترو باغ، هر وخت له چای سره.',
          'باغ ناجو بر فراز هرات، با چای در هر ساعت.',
        ],
      },
    ],
  }),
  look(0x300, {
    name: ['Sandstone', 'شګ‌تیږه', 'ریگ‌سنگ'],
    colours: [
      { name: 'colour.primary', value: '#7a4b22' },
      { name: 'colour.background', value: '#faf4ea' },
    ],
    own: [],
    texts: [
      {
        placement: 'home',
        says: [
          'Quiet nights under the cliffs of Bamyan.',
          'د بامیان د سمڅو تر سیوري لاندې آرامې شپې.',
          'شب‌های آرام زیر صخره‌های بامیان.',
        ],
      },
    ],
  }),
];
