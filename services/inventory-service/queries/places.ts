import { type Id, idFromUuid, idToUuid } from '@ghasi/domain-primitives/ids';

/** A room, or any room of a type: one of the two. */
export type Place = { readonly roomId: Id<'rom'> | null; readonly roomTypeId: Id<'rty'> | null };

/** A place as rows have it. */
export function placeOf(found: { roomId: string | null; roomTypeId: string | null }): Place {
  return {
    roomId: found.roomId === null ? null : idFromUuid('rom', found.roomId),
    roomTypeId: found.roomTypeId === null ? null : idFromUuid('rty', found.roomTypeId),
  };
}

/** An id as a column that may be null has it. */
export function orNull(id: Parameters<typeof idToUuid>[0] | null): string | null {
  return id === null ? null : idToUuid(id);
}
