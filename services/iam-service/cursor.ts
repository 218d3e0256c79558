import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Id, isId } from '@ghasi/domain-primitives/ids';
import type { Prefix } from '@ghasi/domain-primitives/naming';
import { errors } from './errors.ts';
import type { InstallationKeys } from './installation-keys.ts';

/** The list a cursor belongs to: tenant, name, and whatever narrows it. */
export type ListName = readonly string[];

const TAG_BYTES = 16;

/** A place in a list, readable by nobody else: signed for this tenant and this list (safety rule 52). */
export function makeCursor(keys: InstallationKeys, list: ListName, position: string): string {
  const { id, key } = keys.newest('cursor');
  return Buffer.from(`${id}${tagOf(key, list, position)}${position}`).toString('base64url');
}

/** The place a cursor stands for; CURSOR_REFUSED when a byte, the tenant or the list differs. */
export function readCursor<P extends Prefix>(
  keys: InstallationKeys,
  list: ListName,
  { cursor, prefix }: { cursor: string; prefix: P },
): Id<P> {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, id = '', tag = '', position = ''] = /^([0-9a-f]{8})([0-9a-f]{32})(.+)$/.exec(text) ?? [];
  const found = keys.find('cursor', id);
  const canonical = Buffer.from(text).toString('base64url') === cursor;
  if (found === undefined || !canonical || !isId(prefix, position)) throw errors.CURSOR_REFUSED();
  const wanted = Buffer.from(tagOf(found.key, list, position));
  if (!timingSafeEqual(wanted, Buffer.from(tag))) throw errors.CURSOR_REFUSED();
  return position;
}

function tagOf(key: Buffer, list: ListName, position: string): string {
  const mac = createHmac('sha256', key)
    .update(JSON.stringify([list, position]))
    .digest();
  return mac.subarray(0, TAG_BYTES).toString('hex');
}
