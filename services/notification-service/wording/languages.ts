import type { Locale } from '../model.ts';
import { english } from './en.ts';
import { dari } from './fa-af.ts';
import type { Language } from './language.ts';
import { pashto } from './ps.ts';

/** Every language we write in, complete: TypeScript and a test see to it. */
export const languages: Readonly<Record<Locale, Language>> = { en: english, ps: pashto, 'fa-AF': dari };
