/** What one look at each character tells about a text; the rules of `scrubText` ask it first. */
export type Survey = {
  /** Nothing below was found; only a token without any mark can still hide in it. */
  plain: boolean;
  /** Holds `@` or `%`, so perhaps an e-mail address. */
  at: boolean;
  space: boolean;
  /** Holds `:` or `=`, so perhaps a name and its value. */
  pair: boolean;
  bracket: boolean;
  unprintable: boolean;
  easternDigits: boolean;
  digits: number;
  /** Longest run of base32 characters. */
  capitals: number;
};

/** Surveys a text. Most log text then needs no pattern at all, which is what keeps the logger fast. */
export function surveyText(text: string): Survey {
  let at = false;
  let space = false;
  let pair = false;
  let bracket = false;
  let unprintable = false;
  let easternDigits = false;
  let digits = 0;
  let capitals = 0;
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code >= 0x41 && code <= 0x5a) || (code >= 0x32 && code <= 0x37)) {
      if (++run > capitals) capitals = run;
    } else run = 0;
    if (code >= 0x61 && code <= 0x7a) continue;
    if (code >= 0x30 && code <= 0x39) digits++;
    else if (code === 0x20) space = true;
    else if (code === 0x3a || code === 0x3d) pair = true;
    else if (code === 0x28) bracket = true;
    else if (code === 0x40 || code === 0x25) at = true;
    else if (code < 0x20 || code === 0x7f) unprintable = true;
    else if (code >= 0x80) {
      if ((code >= 0x660 && code <= 0x669) || (code >= 0x6f0 && code <= 0x6f9)) {
        easternDigits = true;
        digits++;
      } else if (code < 0xa0 || (code >= 0x200e && code <= 0x2069) || code === 0xfeff) unprintable = true;
    }
  }
  const plain = !(at || space || pair || bracket || unprintable) && digits < 5 && capitals < 16;
  return { plain, at, space, pair, bracket, unprintable, easternDigits, digits, capitals };
}
