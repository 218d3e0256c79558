import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { coreErrors } from './errors.ts';
import {
  type Id,
  idFromUuid,
  idToUuid,
  isId,
  isTenantId,
  newId,
  PLATFORM_TENANT_ID,
  parseId,
  parseTenantId,
} from './ids.ts';
import { idPrefixes, type Prefix } from './naming.ts';
import { isUuid7, uuid7 } from './uuid.ts';

const prefixes = Object.keys(idPrefixes) as Prefix[];
const anyPrefix = fc.constantFrom(...prefixes);

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (coreErrors.MALFORMED_ID.is(error)) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('ids', () => {
  test('X-031: the external form is prefix and ULID of the stored uuid', () => {
    const id = idFromUuid('rsv', '01563e3a-b5d3-d676-4c61-efb99302bd5b');
    expect(id).toBe('rsv_01ARZ3NDEKTSV4RRFFQ69G5FAV');
    expect(idToUuid(id)).toBe('01563e3a-b5d3-d676-4c61-efb99302bd5b');
  });

  test('X-031: every prefix survives uuid → id → text → uuid', () => {
    fc.assert(
      fc.property(anyPrefix, prefix => {
        const uuid = uuid7();
        const id = parseId(prefix, JSON.parse(JSON.stringify(idFromUuid(prefix, uuid))));
        expect(idToUuid(id)).toBe(uuid);
      }),
    );
  });

  test('new ids are time-ordered and distinct, also when the clock goes back', () => {
    const now = Date.now();
    const made = Array.from({ length: 5_000 }, (_, index) => newId('rsv', now - index));
    expect(made.toSorted()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
    expect(made.every(id => isUuid7(idToUuid(id)))).toBe(true);
  });

  test('an id of one kind is never an id of another kind', () => {
    fc.assert(
      fc.property(anyPrefix, anyPrefix, (mine, theirs) => {
        expect(isId(mine, newId(theirs))).toBe(mine === theirs);
      }),
    );
    expectTypeOf<Id<'pay'>>().not.toExtend<Id<'rsv'>>();
    expectTypeOf<string>().not.toExtend<Id<'rsv'>>();
    expectTypeOf<Id<'rsv'>>().toExtend<string>();
  });

  test('one id has one text: any change of a character is another id or refused', () => {
    fc.assert(
      fc.property(fc.nat({ max: 29 }), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        const id = newId('rsv');
        const changed = id.slice(0, at) + character + id.slice(at + 1);
        fc.pre(changed !== id);
        if (isId('rsv', changed)) expect(idToUuid(changed)).not.toBe(idToUuid(id));
      }),
    );
  });

  test.each([
    ['pay_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'must start with rsv_'],
    ['RSV_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'must start with rsv_'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'must start with rsv_'],
    [' rsv_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'must start with rsv_'],
    ['01563e3a-b5d3-d676-4c61-efb99302bd5b', 'must start with rsv_'],
    ['rsv_', 'got 0'],
    ['rsv_01ARZ3NDEKTSV4RRFFQ69G5FAV\n', 'got 27'],
    ['rsv_01ARZ3NDEKTSV4RRFFQ69G5FA', 'got 25'],
    ['rsv_01arz3ndektsv4rrffq69g5fav', 'upper case'],
    ['rsv_81ARZ3NDEKTSV4RRFFQ69G5FAV', 'must be 0 to 7'],
    ['rsv_01ARZ3NDEKTSV4RRFFQ69G5FAO', 'without I, L, O, U'],
    ['rsv_01ARZ3NDEKTSV4RRFFQ69G5F٠٠', 'without I, L, O, U'],
    [undefined, 'got undefined'],
    [null, 'got null'],
    [7, 'got number'],
    [['rsv_01ARZ3NDEKTSV4RRFFQ69G5FAV'], 'got object'],
  ])('refuses %j and says why', (text, why) => {
    expect(isId('rsv', text)).toBe(false);
    const message = refusal(() => parseId('rsv', text));
    expect(message).toContain('Not a reservation id');
    expect(message).toContain(why);
  });

  test('a refusal is a 400 and does not repeat a long input', () => {
    const message = refusal(() => parseId('rsv', 'x'.repeat(1_000_000)));
    expect(message.length).toBeLessThan(200);
    expect(coreErrors.MALFORMED_ID.entry.status).toBe(400);
  });
});

describe('tenant ids', () => {
  test('X-032: a tenant is a bare lower-case uuid', () => {
    const text = '018f2504-4f89-7111-8a0c-0305e82c3301';
    expect(parseTenantId(text)).toBe(text);
    for (const wrong of [text.toUpperCase(), `tnt_${text}`, newId('tnt'), '', null, undefined, {}]) {
      expect(isTenantId(wrong)).toBe(false);
      expect(refusal(() => parseTenantId(wrong))).toContain('lower-case uuid');
    }
  });

  test('X-026: the platform has one reserved tenant, and it is not the nil uuid', () => {
    expect(parseTenantId(PLATFORM_TENANT_ID)).toBe(PLATFORM_TENANT_ID);
    expect(PLATFORM_TENANT_ID).not.toBe('00000000-0000-0000-0000-000000000000');
  });
});
