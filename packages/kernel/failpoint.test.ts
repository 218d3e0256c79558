import { afterEach, describe, expect, test } from 'vitest';
import {
  armedFailpoints,
  armFailpoint,
  armFailpointsFromEnv,
  disarmFailpoints,
  FailpointError,
  failpoint,
} from './failpoint.ts';

afterEach(disarmFailpoints);

describe('a failpoint', () => {
  test('does nothing until it is armed, and nothing again after', () => {
    expect(failpoint('relay.after-publish')).toBeUndefined();
    const disarm = armFailpoint('relay.after-publish', 'error');
    expect(() => failpoint('relay.after-publish')).toThrow(FailpointError);
    expect(failpoint('relay.before-publish')).toBeUndefined();
    disarm();
    expect(failpoint('relay.after-publish')).toBeUndefined();
  });

  test('names itself in its error', () => {
    armFailpoint('db.commit', 'error');
    expect(() => failpoint('db.commit')).toThrow('failpoint db.commit was armed to fail');
  });

  test('runs the code of a test and hands back its promise', async () => {
    const seen: string[] = [];
    armFailpoint('pause', async () => {
      seen.push('in');
      await Promise.resolve();
      seen.push('out');
    });
    await failpoint('pause');
    expect(seen).toEqual(['in', 'out']);
  });

  test('can wait for the n-th hit, fires once, and lets the retry through', () => {
    armFailpoint('db.commit', 'error', { onHit: 3 });
    expect(failpoint('db.commit')).toBeUndefined();
    expect(failpoint('db.commit')).toBeUndefined();
    expect(() => failpoint('db.commit')).toThrow(FailpointError);
    expect(failpoint('db.commit')).toBeUndefined();
  });

  test('armed again, the last arming counts, and an old disarm leaves it alone', () => {
    const disarmFirst = armFailpoint('x', 'error');
    armFailpoint('x', () => {});
    disarmFirst();
    expect(failpoint('x')).toBeUndefined();
    expect(armedFailpoints()).toEqual(['x']);
  });

  test('crash calls what the host injected, and never goes on', () => {
    let crashes = 0;
    const crash = () => {
      crashes += 1;
    };
    armFailpoint('x', 'crash', { crash });
    expect(() => failpoint('x')).toThrow(FailpointError);
    expect(crashes).toBe(1);
    expect(() => armFailpoint('y', 'crash')).toThrow(TypeError);
  });

  test.each(['', 'with space', 'a=b', 'a,b', 'UPPER'])('refuses the name %j', name => {
    expect(() => armFailpoint(name, 'error')).toThrow(TypeError);
  });

  test.each([0, -1, 1.5, Number.NaN])('refuses hit %d', onHit => {
    expect(() => armFailpoint('x', 'error', { onHit })).toThrow(TypeError);
  });
});

describe('arming from the environment', () => {
  test('an absent or empty list arms nothing', () => {
    armFailpointsFromEnv({});
    armFailpointsFromEnv({ MELM_FAILPOINTS: ' ' });
    expect(armedFailpoints()).toEqual([]);
  });

  test('safety-27: what is armed can be listed, so that a production boot can refuse it', () => {
    armFailpointsFromEnv({ MELM_FAILPOINTS: 'b=error, a=crash@2' }, { crash: () => {} });
    expect(armedFailpoints()).toEqual(['a', 'b']);
    expect(failpoint('a')).toBeUndefined();
    expect(() => failpoint('a')).toThrow(FailpointError);
    expect(() => failpoint('b')).toThrow(FailpointError);
  });

  test.each([
    'a',
    'a=',
    'a=explode',
    'a=error,',
    'a=error@0',
    '=error',
    'a=error b=error',
    'a=error,b=crash',
  ])('a bad list arms nothing at all: %j', list => {
    expect(() => armFailpointsFromEnv({ MELM_FAILPOINTS: list })).toThrow('MELM_FAILPOINTS');
    expect(armedFailpoints()).toEqual([]);
  });
});
