import { z } from 'zod';

const mediaTypes = new WeakMap<z.ZodType, string>();

/** The schema of a reply that is not JSON: text or bytes of one media type, sent as they are. */
export function content(mediaType: string): z.ZodType<string | Uint8Array, string | Uint8Array> {
  if (!/^[a-z]+\/[a-z0-9.+-]+(; charset=utf-8)?$/.test(mediaType)) {
    throw new TypeError(`"${mediaType}" is not a media type such as text/csv`);
  }
  const schema = z.union([z.string(), z.instanceof(Uint8Array)]);
  mediaTypes.set(schema, mediaType);
  return schema;
}

/** The media type a reply schema stands for; undefined when it is JSON. */
export function mediaTypeOf(schema: z.ZodType): string | undefined {
  return mediaTypes.get(schema);
}

/** True for a reply without a body: `z.undefined()` or `z.void()`. */
export function isEmpty(schema: z.ZodType): boolean {
  return schema instanceof z.ZodUndefined || schema instanceof z.ZodVoid;
}
