import { randomBytes } from 'node:crypto';
import { type Accepted, accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { Id } from '@ghasi/domain-primitives/ids';
import { type Entry, hashOfNote } from '../entry.ts';
import { errors } from '../errors.ts';
import { deleteNote, insertNote, readEntry } from '../queries/entries.ts';
import { append } from './append.ts';

/** What somebody writes down. */
export type NewNote = { about: { type: string; id: string }; text: string };

type Noted = { entry: Entry; note: { salt: string; text: string } };

/**
 * Writes down what a person says of something. The chain takes a hash only: the text can be forgotten and the chain
 * stays whole (safety-50). What people write is always a note; it cannot look like something that a service did.
 */
export async function writeNote(ctx: Ctx, { about, text }: NewNote): Promise<Accepted<Noted>> {
  const note = { salt: randomBytes(16).toString('hex'), text };
  const entryId = ctx.newId('aud');
  const { entries, events } = await append(ctx, [
    {
      ...{ entryId, about, actor: ctx.actor, occurredAt: ctx.now },
      ...{ action: 'audit.note.written', eventId: null, payloadHash: null, noteHash: hashOfNote(note) },
    },
  ]);
  insertNote(ctx, entryId, note);
  return accepted({ entry: entries[0] as Entry, note }, events);
}

/** Forgets the text of a note; that it was there, who forgot it and when stays. */
export async function forgetNote(ctx: Ctx, entryId: Id<'aud'>): Promise<Accepted<Entry>> {
  await readEntry(ctx.tx, entryId);
  if ((await deleteNote(ctx.tx, entryId)) === 0) throw errors.NO_NOTE();
  const { entries, events } = await append(ctx, [
    {
      ...{ entryId: ctx.newId('aud'), about: { type: 'entry', id: entryId }, actor: ctx.actor },
      ...{ action: 'audit.note.forgotten', occurredAt: ctx.now },
      ...{ eventId: null, payloadHash: null, noteHash: null },
    },
  ]);
  return accepted(entries[0] as Entry, events);
}
