import { type Money, multiply, splitGross } from '@ghasi/domain-primitives/money';
import type { Taxed } from './line.ts';

/**
 * R20: so many at a price that has its tax in it. What the guest saw is the anchor: the gross is quantity times price to
 * the last unit, and tax and net are taken out of the whole, not of each piece.
 */
export function salePrice(unitPrice: Money, quantity: number, basisPoints: number): Taxed {
  const gross = multiply(unitPrice, BigInt(quantity));
  const { net, tax } = splitGross(gross, basisPoints, 'half-up');
  return { net: net.minor, tax: tax.minor };
}
