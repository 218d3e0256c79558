import type { Message, Outgoing } from '../../broker.ts';

/** Shards for ever: a key must not move while messages of it are on their way. */
export const SHARDS = 16;

/** An entry as Redis gives it. */
export type RawEntry = readonly [id: string, fields: readonly string[]];

/** A message and its place: `off` is the number in its id, microseconds of the server that took it. */
export type StreamMessage = Message & { readonly off: number; readonly shard: number };

/** The shard of an ordering key: FNV-1a, folded. */
export function shardOf(orderingKey: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < orderingKey.length; at++) {
    hash = Math.imul(hash ^ orderingKey.charCodeAt(at), 0x01000193);
  }
  return (hash ^ (hash >>> 16)) & (SHARDS - 1);
}

/** The arguments by which the publish script knows a message; `place` is where its stream stands among the keys. */
export function toArguments(message: Outgoing, place: number): string[] {
  return [
    String(place),
    message.topic,
    message.orderingKey,
    message.eventId,
    message.tenantId,
    JSON.stringify(message.attributes),
    String(message.enqueuedAt.getTime()),
    message.envelope,
  ];
}

/** The message of an entry, or undefined if it is none of ours: somebody wrote it by hand. */
export function fromEntry([id, fields]: RawEntry, shard: number): StreamMessage | undefined {
  const of = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) of.set(fields[at] as string, fields[at + 1] as string);
  const [topic, orderingKey, eventId] = [of.get('t'), of.get('k'), of.get('e')];
  const [tenantId, envelope, enqueuedAt] = [of.get('n'), of.get('b'), Number(of.get('q'))];
  const attributes = parsed(of.get('a'));
  const off = offOf(id);
  if (topic === undefined || orderingKey === undefined || eventId === undefined) return undefined;
  if (tenantId === undefined || envelope === undefined || attributes === undefined) return undefined;
  if (!isUuid(tenantId) || !isUuid(eventId) || !Number.isSafeInteger(enqueuedAt)) return undefined;
  return {
    id,
    off,
    shard,
    topic,
    orderingKey,
    eventId,
    tenantId,
    envelope,
    attributes,
    enqueuedAt: new Date(enqueuedAt),
    publishedAt: new Date(off / 1000),
  };
}

/** The number in an id. */
export function offOf(id: string): number {
  return Number(id.slice(0, id.indexOf('-')));
}

function parsed(text: string | undefined): Record<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isRecord ? (value as Record<string, string>) : undefined;
  } catch {
    return undefined;
  }
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
