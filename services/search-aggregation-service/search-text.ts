/** Letters that people write for one another in Dari, Pashto and Arabic; each becomes the one on the right. */
const sameLetters: Readonly<Record<string, string>> = {
  ي: 'ی',
  ى: 'ی',
  ې: 'ی',
  ۍ: 'ی',
  ئ: 'ی',
  ك: 'ک',
  ګ: 'گ',
  ة: 'ه',
  ۀ: 'ه',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ؤ: 'و',
};

const likeAnother = new RegExp(`[${Object.keys(sameLetters).join('')}]`, 'gu');

/** Most words of a question that are looked for. */
const MOST_WORDS = 8;

/**
 * A text as it is compared: small letters without accents and joiners, figures 0-9, one letter for those that are
 * written for one another. PostgreSQL knows neither Dari nor Pashto, so names and questions both pass through here.
 */
export function folded(text: string): string {
  return wordsIn(text).join(' ');
}

/** What to look for as a text search query: every word, each as the beginning of one; undefined when there is none. */
export function wordQuery(text: string): string | undefined {
  const words = wordsIn(text).slice(0, MOST_WORDS);
  return words.length === 0 ? undefined : words.map(word => `${word}:*`).join(' & ');
}

function wordsIn(text: string): string[] {
  const plain = text
    .replace(likeAnother, letter => sameLetters[letter] ?? letter) // before: some of them come apart below
    .normalize('NFKD')
    .replace(/[\p{M}\u0640\u200c\u200d]/gu, '') // accents, short vowels, stretched letters, joiners
    .replace(likeAnother, letter => sameLetters[letter] ?? letter)
    .toLowerCase()
    .replace(/\p{Nd}/gu, figure);
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Every script has its figures in a row of ten. */
function figure(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  if (code < 128) return digit;
  let zero = code;
  while (code - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}
