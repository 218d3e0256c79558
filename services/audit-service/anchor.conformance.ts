import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import { newTenantId } from '@ghasi/testing/tenants';
import { describe, expect, test } from 'vitest';
import { type AnchorCtx, type AnchorMedium, type DayRoot, RootTaken, recordOf } from './anchor.ts';

/** What every medium keeps. `open` gives it with what it needs; called in each test. */
export function anchorConformance(
  name: string,
  open: () => Promise<{ medium: AnchorMedium; ctx: AnchorCtx }>,
): void {
  const root = (more: Partial<DayRoot> = {}): DayRoot => ({
    day: '2026-03-21' as LocalDate,
    firstPosition: 1,
    lastPosition: 12,
    rootHash: 'ab'.repeat(32),
    previousRootHash: null,
    ...more,
  });

  describe(`${name} keeps roots`, () => {
    test('what was put in is found, word for word, and nothing else', async () => {
      const { medium, ctx } = await open();
      const tenantId = newTenantId();
      expect(await medium.read(ctx, tenantId, root().day)).toBeUndefined();
      const reference = await medium.put(ctx, tenantId, root());
      expect(reference.length).toBeGreaterThan(0);
      expect(reference.length).toBeLessThan(400);
      expect(await medium.read(ctx, tenantId, root().day)).toBe(recordOf(tenantId, root()));
      expect(await medium.read(ctx, tenantId, '2026-03-22' as LocalDate)).toBeUndefined();
    });

    test('the same root again is the same answer: a job may be interrupted after it', async () => {
      const { medium, ctx } = await open();
      const tenantId = newTenantId();
      const first = await medium.put(ctx, tenantId, root());
      expect(await medium.put(ctx, tenantId, root())).toBe(first);
    });

    test('another root of that day is refused, and the first one stays', async () => {
      const { medium, ctx } = await open();
      const tenantId = newTenantId();
      await medium.put(ctx, tenantId, root());
      const other = medium.put(ctx, tenantId, root({ rootHash: 'cd'.repeat(32) }));
      await expect(other).rejects.toBeInstanceOf(RootTaken);
      expect(await medium.read(ctx, tenantId, root().day)).toBe(recordOf(tenantId, root()));
    });

    test('of two that come at once with different roots, one stays and the other is refused', async () => {
      const { medium, ctx } = await open();
      const tenantId = newTenantId();
      const outcomes = await Promise.allSettled(
        ['ab', 'cd'].map(hex => medium.put(ctx, tenantId, root({ rootHash: hex.repeat(32) }))),
      );
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });

    test('tenants have their own days', async () => {
      const { medium, ctx } = await open();
      const [a, b] = [newTenantId(), newTenantId()];
      const references = [await medium.put(ctx, a, root()), await medium.put(ctx, b, root())];
      expect(new Set(references).size).toBe(2);
      expect(await medium.read(ctx, b, root().day)).toBe(recordOf(b, root()));
    });
  });
}
