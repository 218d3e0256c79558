import { describe, expect, expectTypeOf, test } from 'vitest';
import { AppError, coreErrors, defineErrors } from './errors.ts';

const errors = defineErrors('iam-service', {
  DEVICE_REVOKED: { status: 403, text: 'Device {deviceId} was revoked {times} times' },
  ASLEEP: { status: 503, text: 'Come back tomorrow' },
});

describe('a catalogue', () => {
  test('X-016: the code stays bare and has a qualified form with prefix and service', () => {
    const error = errors.DEVICE_REVOKED({ deviceId: 'dev_1', times: 2 });
    expect(error).toBeInstanceOf(AppError);
    expect(error.code).toBe('DEVICE_REVOKED');
    expect(error.qualifiedCode).toBe('MELMASTOON.IAM.DEVICE_REVOKED');
    expect(error.status).toBe(403);
    expect(error.message).toBe('Device dev_1 was revoked 2 times');
    expect(error.params).toEqual({ deviceId: 'dev_1', times: 2 });
  });

  test('the service may be written as token or folder, and the prefix may be another product', () => {
    const one = { ONE: { status: 400, text: 'One' } } as const;
    expect(defineErrors('iam', one).ONE().qualifiedCode).toBe('MELMASTOON.IAM.ONE');
    expect(defineErrors('bff-tenant-booking-service', one).ONE().qualifiedCode).toBe(
      'MELMASTOON.BFF_TENANT_BOOKING.ONE',
    );
    expect(defineErrors('iam', one, { prefix: 'INN' }).ONE().qualifiedCode).toBe('INN.IAM.ONE');
  });

  test('lists what may be said, in the order it was written', () => {
    expect(errors.catalogue).toEqual([
      {
        code: 'DEVICE_REVOKED',
        qualifiedCode: 'MELMASTOON.IAM.DEVICE_REVOKED',
        status: 403,
        text: 'Device {deviceId} was revoked {times} times',
      },
      { code: 'ASLEEP', qualifiedCode: 'MELMASTOON.IAM.ASLEEP', status: 503, text: 'Come back tomorrow' },
    ]);
  });

  test('recognises its own errors and nobody else’s', () => {
    const other = defineErrors('tenant', { ASLEEP: { status: 503, text: 'Asleep' } });
    expect(errors.ASLEEP.is(errors.ASLEEP())).toBe(true);
    expect(errors.ASLEEP.is(other.ASLEEP())).toBe(false);
    expect(errors.ASLEEP.is(new Error('ASLEEP'))).toBe(false);
    expect(errors.ASLEEP.is(undefined)).toBe(false);
  });

  test('keeps the cause, and the stack starts at the caller', () => {
    const cause = new Error('disk');
    const error = errors.ASLEEP({}, { cause });
    expect(error.cause).toBe(cause);
    expect(error.stack?.split('\n')[1]).toContain('errors.test.ts');
  });

  test('carries further facts besides those of the text', () => {
    expect(coreErrors.VALIDATION_FAILED({ issues: [{ path: 'a', hint: null }] }).params).toEqual({
      issues: [{ path: 'a', hint: null }],
    });
  });

  test('placeholders of the text are required by type', () => {
    expectTypeOf(errors.DEVICE_REVOKED).toBeCallableWith({ deviceId: 'x', times: 1, more: [true] });
    // @ts-expect-error times is missing
    expect(errors.DEVICE_REVOKED({ deviceId: 'x' }).message).toBe('Device x was revoked {times} times');
    // @ts-expect-error no such code
    expect(errors.NO_SUCH_CODE).toBeUndefined();
  });
});

describe('the message', () => {
  test('a value with braces is never expanded again, and inherited names are not params', () => {
    expect(errors.DEVICE_REVOKED({ deviceId: '{times}', times: 1 }).message).toBe(
      'Device {times} was revoked 1 times',
    );
    const odd = defineErrors('iam', { ODD: { status: 400, text: 'Odd {constructor}' } });
    // @ts-expect-error the param is missing on purpose
    expect(odd.ODD({}).message).toBe('Odd {constructor}');
  });

  test('foreign text is cut, so that a client cannot fill our logs', () => {
    expect(coreErrors.NOT_FOUND({ entity: 'x'.repeat(10_000) }).message.length).toBeLessThan(200);
    const many = Array.from({ length: 10_000 }, () => 'x'.repeat(10_000));
    expect(coreErrors.NOT_FOUND({ entity: many }).message.length).toBeLessThan(3_000);
  });

  test('a list is cut piece by piece: a long reason does not hide the next one', () => {
    expect(coreErrors.NOT_FOUND({ entity: ['x'.repeat(10_000), 'y'] }).message).toBe(
      `${'x'.repeat(120)}…; y was not found`,
    );
    const many = Array.from({ length: 22 }, (_, n) => `${n}`);
    expect(coreErrors.NOT_FOUND({ entity: many }).message).toMatch(/; 19; and 2 more was not found$/);
  });
});

describe('a definition is refused at start', () => {
  test.each([
    ['a code in lower case', { wrong: { status: 400, text: 'Text' } }],
    ['a status that is no error', { OK: { status: 200, text: 'Text' } }],
    ['a status above the range', { HIGH: { status: 600, text: 'Text' } }],
    ['a broken status', { BROKEN: { status: 404.5, text: 'Text' } }],
    ['an empty text', { EMPTY: { status: 400, text: '' } }],
    ['an unclosed placeholder', { OPEN: { status: 400, text: 'Device {deviceId' } }],
    ['a placeholder with a space', { SPACE: { status: 400, text: 'Device {device id}' } }],
  ])('%s', (_, definitions) => {
    expect(() => defineErrors('iam', definitions)).toThrow(TypeError);
  });

  test.each(['', 'iam service', '9lives', 'Iäm'])('service name "%s"', service => {
    expect(() => defineErrors(service, {})).toThrow(TypeError);
  });
});

describe('the core catalogue', () => {
  const statusOf = Object.fromEntries(coreErrors.catalogue.map(({ code, status }) => [code, status]));

  test.each([
    ['VAL-15', 'PAYLOAD_HASH_MISMATCH', 422],
    ['VAL-16', 'ACTIVE_PURCHASE_EXISTS', 409],
    ['VAL-17', 'IDEMPOTENCY_IN_PROGRESS', 409],
    ['VAL-19', 'VALIDATION_FAILED', 400],
    ['VAL-19', 'UNIT_NOT_SUPPORTED', 422],
    ['VAL-19', 'IDEMPOTENCY_KEY_REUSED', 422],
    ['VAL-19', 'VERSION_CONFLICT', 409],
    ['VAL-19', 'TENANT_CONTEXT_MISSING', 500],
    ['VAL-19', 'HANDOFF_ALREADY_CONSUMED', 409],
    ['VAL-19', 'HANDOFF_EXPIRED', 410],
    ['VAL-19', 'OVERSELL_BLOCKED', 409],
  ])('%s: %s answers %i', (_, code, status) => {
    expect(statusOf[code]).toBe(status);
  });

  test('X-016: every core code has its MELMASTOON form, and none repeats', () => {
    const qualified = coreErrors.catalogue.map(entry => entry.qualifiedCode);
    expect(qualified.every(code => /^MELMASTOON\.CORE\.[A-Z_]+$/.test(code))).toBe(true);
    expect(new Set(qualified).size).toBe(qualified.length);
  });
});
