import { createHash } from 'node:crypto';
import { format, money } from '@ghasi/domain-primitives/money';
import { words } from './document-words.ts';
import type { InvoiceSums } from './model/invoice.ts';
import type { StoredLine } from './model/line.ts';
import type { Localised } from './tables.ts';

/** Languages an invoice can be written in. */
export type Locale = keyof typeof words;

/** Who an invoice is made out to. */
export type Recipient = { readonly name: string; readonly address: string | null };

/** What stands on an invoice. */
export type InvoiceFacts = {
  readonly number: string;
  readonly issuedOn: string;
  readonly house: { readonly name: Localised; readonly city: Localised };
  readonly recipient: Recipient;
  readonly lines: readonly StoredLine[];
  readonly sums: InvoiceSums;
  readonly currency: string;
};

const STYLE =
  'body{font:14px/1.5 sans-serif;max-width:48em;margin:2em auto;padding:0 1em;color:#000}' +
  'table{width:100%;border-collapse:collapse;margin:1em 0}' +
  'th,td{border-bottom:1px solid #999;padding:.3em .5em;text-align:start;vertical-align:top}' +
  'td.n,th.n{text-align:end;white-space:nowrap}tfoot td{font-weight:bold;border-bottom:0}' +
  '@media print{body{margin:0;max-width:none}thead{display:table-header-group}tr{break-inside:avoid}}';

/** What the page may do: show itself. The style is allowed by its hash, so the bytes are the same for everybody. */
export const DOCUMENT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * An invoice as a page that prints: the same facts give the same bytes, wherever and whenever it is made. No script, no
 * picture, nothing from elsewhere.
 */
export function renderInvoice(facts: InvoiceFacts, locale: Locale): string {
  const say = words[locale];
  const { number, issuedOn, house, recipient, sums, currency } = facts;
  const amount = (minor: bigint) => `<bdi>${escaped(format(money(minor, currency), locale))}</bdi>`;
  const cell = (minor: bigint) => `<td class="n">${amount(minor)}</td>`;
  const rows = facts.lines.map(
    line =>
      `<tr><td><bdi>${dayText(line.businessDate, locale)}</bdi></td><td>${escaped(describe(line, locale))}</td>` +
      `${cell(line.net)}${cell(line.tax)}${cell(line.net + line.tax)}</tr>`,
  );
  const taxes = sums.taxes.map(
    ({ taxCode, basisPoints, taxable, tax }) =>
      `<tr><td>${escaped(taxCode)}</td><td class="n"><bdi>${rateText(basisPoints, locale)}</bdi></td>` +
      `${cell(taxable)}${cell(tax)}</tr>`,
  );
  return [
    '<!doctype html>',
    `<html lang="${locale}" dir="${say.dir}">`,
    `<head><meta charset="utf-8"><title>${escaped(`${say.invoice} ${number}`)}</title><style>${STYLE}</style></head>`,
    '<body>',
    `<h1>${escaped(textIn(house.name, locale))}</h1>`,
    `<p>${escaped(textIn(house.city, locale))}</p>`,
    `<h2>${say.invoice} <bdi>${escaped(number)}</bdi></h2>`,
    `<p>${say.date}: <bdi>${dayText(issuedOn, locale)}</bdi></p>`,
    `<p>${say.to}: <bdi>${escaped(recipient.name)}</bdi></p>`,
    ...(recipient.address === null ? [] : [`<p><bdi>${escaped(recipient.address)}</bdi></p>`]),
    '<table>',
    `<thead><tr><th>${say.date}</th><th>${say.what}</th><th class="n">${say.net}</th><th class="n">${say.tax}</th><th class="n">${say.amount}</th></tr></thead>`,
    `<tbody>${rows.join('\n')}</tbody>`,
    `<tfoot><tr><td colspan="2">${say.total}</td>${cell(sums.net)}${cell(sums.tax)}${cell(sums.net + sums.tax)}</tr></tfoot>`,
    '</table>',
    ...(taxes.length === 0
      ? []
      : [
          '<table>',
          `<thead><tr><th>${say.taxes}</th><th class="n">${say.rate}</th><th class="n">${say.taxable}</th><th class="n">${say.tax}</th></tr></thead>`,
          `<tbody>${taxes.join('\n')}</tbody>`,
          '</table>',
        ]),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function describe({ kind, source, text }: StoredLine, locale: Locale): string {
  const say = words[locale];
  const more = text === undefined ? '' : `: ${text}`;
  switch (source?.kind) {
    case 'room_night':
      return `${say.night} ${dayText(source.date, locale)}`;
    case 'fee':
      return say.fees[source.fee] + more;
    case 'service':
      return say.services[source.service] + more;
    case 'consumption':
      return text ?? say.consumption;
    case 'reversal':
      return say.reversal + more;
    default:
      return kind === 'date_change_credit' ? say.dateChangeCredit : say.dateChange;
  }
}

/** A hotel day in the reader's calendar with the ISO date beside it. Noon UTC, read in UTC: no zone can move it (R4). */
function dayText(date: string, locale: Locale): string {
  if (locale === 'en') return date;
  const noon = new Date(`${date}T12:00:00Z`);
  const solar = new Intl.DateTimeFormat(`${locale}-u-ca-persian`, { dateStyle: 'long', timeZone: 'UTC' });
  return `${solar.format(noon)} (${date})`;
}

function rateText(basisPoints: number, locale: Locale): string {
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  return percent.format(basisPoints / 10_000);
}

function textIn(texts: Localised, locale: Locale): string {
  return (texts.find(text => text.locale === locale) ?? texts[0])?.text ?? '';
}

/** Text of people as text, whatever they typed. */
function escaped(text: string): string {
  const named: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, sign => named[sign] as string);
}
