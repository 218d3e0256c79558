import { isRightToLeft, type Locale } from '../model.ts';
import { fill } from './fields.ts';
import type { TemplateText } from './language.ts';
import { escapeHtml, oneLine } from './safe-text.ts';
import { type Source, type Values, valuesOf } from './values.ts';

/** A letter as it is sent: plain text and HTML for e-mail and paper, a short text for telephones. */
export type Composed = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly short: string;
};

/** Longest subject we send; mail programs show far less. */
const LONGEST_SUBJECT = 180;

/** Words and values become a message. Every value is escaped where it lands, whoever typed it. */
export function compose(words: TemplateText, source: Source, locale: Locale): Composed {
  const long = valuesOf(source, locale, 'long');
  const brief = valuesOf(source, locale, 'short');
  const subject = oneLine(fill(words.subject, plain(brief))).slice(0, LONGEST_SUBJECT);
  return {
    subject,
    text: fill(words.body, isRightToLeft(locale) ? isolated(long) : plain(long)),
    html: page({ subject, locale, body: htmlBody(words.body, long) }),
    short: fill(words.short, plain(brief)).replaceAll('\n', ' '),
  };
}

const valueIn = (values: Values, name: string) => values[name as keyof Values] ?? '';
const plain = (values: Values) => (name: string) => valueIn(values, name);

/** Isolates (FSI … PDI) keep a Latin name or code from turning the sentence round it. */
const isolated = (values: Values) => (name: string) => {
  const value = valueIn(values, name);
  return value === '' ? '' : `\u2068${value}\u2069`;
};

function htmlBody(body: string, values: Values): string {
  const filled = fill(escapeHtml(body), name => {
    const value = escapeHtml(valueIn(values, name));
    return value === '' ? '' : `<bdi>${value}</bdi>`;
  });
  return filled
    .split('\n\n')
    .map(paragraph => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('\n');
}

/** One column of text, readable on any telephone: no pictures, no scripts, nothing is fetched. */
function page({ subject, locale, body }: { subject: string; locale: Locale; body: string }): string {
  const direction = isRightToLeft(locale) ? 'rtl' : 'ltr';
  return `<!doctype html>
<html lang="${locale}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(subject)}</title>
</head>
<body dir="${direction}" style="margin:0 auto;max-width:36em;padding:16px;font:16px/1.6 Tahoma,Arial,sans-serif;color:#222">
${body}
</body>
</html>
`;
}
