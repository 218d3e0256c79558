import { canonicalJson } from '@ghasi/domain-primitives/canonical-json';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { LocalDate } from '@ghasi/domain-primitives/local-date';
import type { LooseJobCtx } from '@ghasi/jobs/define-job';
import type { anchorMedia } from './contract.ts';

/** The root over the entries of a day. */
export type DayRoot = {
  readonly day: LocalDate;
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly rootHash: string;
  /** Of the day before that had entries. */
  readonly previousRootHash: string | null;
};

/** A root and where else it is kept. */
export type AnchoredRoot = DayRoot & {
  readonly anchors: readonly { readonly medium: (typeof anchorMedia)[number]; readonly reference: string }[];
};

/** What a medium is given to work with: transactions of its own, outside any other. */
export type AnchorCtx = Pick<LooseJobCtx, 'transaction'>;

/**
 * Where roots are put so that we cannot take them back. Each medium of an installation is of another kind. All of them
 * keep `anchor.conformance.ts`.
 */
export type AnchorMedium = {
  readonly medium: (typeof anchorMedia)[number];
  /**
   * Keeps the root of a day and says how to find it. Again with the same root: the same answer. With another root of
   * that day: throws {@link RootTaken}.
   */
  put(ctx: AnchorCtx, tenantId: TenantId, root: DayRoot): Promise<string>;
  /** The record that is kept for a day, as {@link recordOf} wrote it; undefined when there is none. */
  read(ctx: AnchorCtx, tenantId: TenantId, day: LocalDate): Promise<string | undefined>;
};

/** The medium keeps another root of that day: one of the two is not what was recorded. */
export class RootTaken extends Error {
  constructor(tenantId: TenantId, day: LocalDate) {
    super(`another root of ${day} is kept for tenant ${tenantId}`);
    this.name = 'RootTaken';
  }
}

/** What a medium keeps: the one canonical text of a root. */
export function recordOf(tenantId: TenantId, { day, ...root }: DayRoot): string {
  const { firstPosition, lastPosition, rootHash, previousRootHash } = root;
  return canonicalJson({ tenantId, day, firstPosition, lastPosition, rootHash, previousRootHash });
}
