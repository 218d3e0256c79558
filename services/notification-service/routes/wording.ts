import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { locale } from '@melmastoon/catalog/hotel-parts';
import { z } from 'zod';
import { dropWords, putWords } from '../commands/change-wording.ts';
import { newWords, previewView, wordsPlace, wordsTried, wordsView } from '../contract/resources.ts';
import { templates } from '../contract.ts';
import { errors } from '../errors.ts';
import { locales } from '../model.ts';
import { listOwnWords } from '../queries/settings.ts';
import { viewWords } from '../views.ts';
import { compose } from '../wording/compose.ts';
import { assertWording } from '../wording/fields.ts';
import { languages } from '../wording/languages.ts';
import { smsLength } from '../wording/sms-length.ts';
import { exampleHouse, exampleSource } from '../wording/values.ts';

const boss = ['owner', 'manager'];
const path = '/api/v1/message-templates/:template/:locale';
const refusals = [errors.PLACEHOLDER_UNKNOWN, errors.PLACEHOLDER_MISSING, errors.TEXT_TOO_LONG];

/** The words of a house. */
export const wordingRoutes: readonly AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/api/v1/message-templates',
    summary: 'The words of every template, in one language or all',
    auth: operator(boss),
    query: z.strictObject({ locale: locale.optional() }),
    returns: { 200: z.strictObject({ templates: z.array(wordsView) }) },
    async handler({ tx }, { query }) {
      const own = await listOwnWords(tx);
      const list = locales
        .filter(one => query.locale === undefined || one === query.locale)
        .flatMap(one =>
          templates.map(template => {
            const words = own.find(text => text.template === template && text.locale === one);
            const ours = { ...languages[one].templates[template], version: 0 };
            return viewWords({ template, locale: one }, words ?? ours);
          }),
        );
      return { status: 200, body: { templates: list } };
    },
  }),
  defineRoute({
    method: 'PUT',
    path,
    summary: 'Words of the house instead of ours',
    auth: operator(boss),
    params: wordsPlace,
    body: newWords,
    returns: { 200: wordsView },
    errors: refusals,
    handler: async (ctx, { params, body }) => ({
      status: 200,
      body: viewWords(params, await putWords(ctx, params, body)),
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path,
    summary: 'Our own words again',
    auth: operator(boss),
    params: wordsPlace,
    returns: { 200: wordsView },
    handler: async (ctx, { params }) => ({
      status: 200,
      body: viewWords(params, await dropWords(ctx, params)),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/preview`,
    summary: 'What words would look like for a made-up stay',
    auth: operator(boss),
    params: wordsPlace,
    body: wordsTried,
    returns: { 200: previewView },
    errors: refusals,
    transaction: 'none',
    idempotency: { none: 'it only shows, and keeps nothing' },
    async handler(_ctx, { params, body }) {
      assertWording(params.template, body);
      const shown = compose(body, exampleSource(exampleHouse), params.locale);
      return { status: 200, body: { ...shown, sms: smsLength(shown.short) } };
    },
  }),
];
