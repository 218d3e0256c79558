import { coreErrors } from '@ghasi/domain-primitives/errors';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { content } from '@ghasi/http/content';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import { forgetNote, writeNote } from '../commands/notes.ts';
import {
  calendarDay,
  entryFilter,
  entryPage,
  entryView,
  entryWithNote,
  exportRange,
  newNote,
  proofView,
  rootView,
} from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { merklePath } from '../merkle.ts';
import { readHead } from '../queries/chain.ts';
import { entriesAfter, findNote, hashAt, listEntries, readEntry } from '../queries/entries.ts';
import { findRoot, hashesOfDay, listRoots, rootsWithin } from '../queries/roots.ts';
import { exportLine } from '../verify.ts';

/** Who may read the chain. The last two exist in the platform's own tenant only. */
export const readers = operator(['owner', 'manager', 'auditor', 'platform_admin', 'platform_support']);
const writers = operator(['owner', 'manager', 'platform_admin', 'platform_support']);
const owners = operator(['owner', 'platform_admin']);
const ofEntry = z.strictObject({ entryId: idText('aud') });

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/audit/entries',
  summary: 'What happened, latest first: about something, by somebody, of a kind or on a day',
  auth: readers,
  query: entryFilter,
  returns: { 200: entryPage },
  handler: async ({ tx }, { query }) => {
    const entries = await listEntries(tx, query);
    const last = entries.at(-1);
    const next = entries.length === query.limit && last && last.position > 1 ? last.position : null;
    return { status: 200, body: { entries, next } };
  },
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/audit/entries/:entryId',
  summary: 'An entry and its note',
  auth: readers,
  params: ofEntry,
  returns: { 200: entryWithNote },
  errors: [coreErrors.NOT_FOUND],
  handler: async ({ tx }, { params }) => {
    const { entry } = await readEntry(tx, params.entryId);
    return { status: 200, body: { entry, note: (await findNote(tx, params.entryId)) ?? null } };
  },
});

const write = defineRoute({
  method: 'POST',
  path: '/api/v1/audit/entries',
  summary: 'Write down a note about something, an incident for one',
  auth: writers,
  body: newNote,
  returns: { 201: entryWithNote },
  handler: async (ctx, { body }) => {
    const { value, events } = await writeNote(ctx, body);
    return { status: 201, body: value, events };
  },
});

const forget = defineRoute({
  method: 'DELETE',
  path: '/api/v1/audit/entries/:entryId/note',
  summary: 'Forget the text of a note; that there was one stays in the chain',
  auth: owners,
  params: ofEntry,
  returns: { 200: entryView },
  errors: [coreErrors.NOT_FOUND, errors.NO_NOTE],
  handler: async (ctx, { params }) => {
    const { value, events } = await forgetNote(ctx, params.entryId);
    return { status: 200, body: value, events };
  },
});

const prove = defineRoute({
  method: 'GET',
  path: '/api/v1/audit/entries/:entryId/proof',
  summary: 'The proof that an entry was recorded, for third parties',
  auth: readers,
  params: ofEntry,
  returns: { 200: proofView },
  errors: [coreErrors.NOT_FOUND, errors.DAY_NOT_SEALED],
  handler: async ({ tx }, { params }) => {
    const { entry, day } = await readEntry(tx, params.entryId);
    const root = await findRoot(tx, day);
    if (root === undefined) throw errors.DAY_NOT_SEALED({ day });
    const hashes = (await hashesOfDay(tx, day)).map(({ hash }) => hash);
    const path = merklePath(hashes, entry.position - root.firstPosition);
    return { status: 200, body: { entry, root: withOwnList(root), path: { ...path, path: [...path.path] } } };
  },
});

const roots = defineRoute({
  method: 'GET',
  path: '/api/v1/audit/roots',
  summary: 'The roots over the entries of each day, and where else they are kept',
  auth: readers,
  query: z.strictObject({
    from: calendarDay.default('2000-01-01' as LocalDate),
    limit: z.coerce.number().int().min(1).max(400).default(31),
  }),
  returns: { 200: z.strictObject({ roots: z.array(rootView) }) },
  handler: async ({ tx }, { query: { from, limit } }) => ({
    status: 200,
    body: { roots: (await listRoots(tx, { from: from as LocalDate, limit })).map(withOwnList) },
  }),
});

const take = defineRoute({
  method: 'GET',
  path: '/api/v1/audit/export',
  summary: 'A part of the chain as lines of JSON, to be verified elsewhere; parts can be joined in one file',
  auth: readers,
  query: exportRange,
  returns: { 200: content('application/x-ndjson') },
  errors: [errors.CHAIN_IS_EMPTY],
  handler: async ({ tx, tenantId, now }, { query: { from, limit } }) => {
    const head = await readHead({ tx });
    if (head.position === 0) throw errors.CHAIN_IS_EMPTY();
    const entries = await entriesAfter(tx, from - 1, limit);
    const lastPosition = Math.min(from + limit - 1, head.position);
    const lines = [
      exportLine({
        ...{ kind: 'header', format: 'melmastoon-audit-export', version: 1, tenantId },
        ...{ firstPosition: from, previousHash: await hashAt(tx, from - 1) },
        // From the end that is written down where it is the end: entries that were cut off show.
        lastHash: lastPosition === head.position ? head.hash : await hashAt(tx, lastPosition),
        ...{ lastPosition, chainLength: head.position, exportedAt: now.toISOString() },
      }),
      ...entries.map(entry => exportLine({ kind: 'entry', ...entry })),
      ...(await rootsWithin(tx, from, lastPosition)).map(root => exportLine({ kind: 'root', ...root })),
    ];
    return { status: 200, body: lines.join('') };
  },
});

function withOwnList<T extends { anchors: readonly unknown[] }>(root: T) {
  return { ...root, anchors: [...root.anchors] as T['anchors'][number][] };
}

/** Reading the chain, and writing notes into it. */
export const entryRoutes: readonly AnyRoute[] = [list, show, write, forget, prove, roots, take];
