import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** The unit of rate limits by address: an IPv4 address, or the /64 of an IPv6 one, which one customer owns whole. */
export function addressUnit(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [left = '', right] = address.toLowerCase().split('%')[0]?.split('::') ?? [];
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = right === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...tail];
  return `${groups
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True for an address of this machine itself. */
export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  const unit = address.toLowerCase().startsWith('::ffff:') ? address.slice(7) : address;
  if (isIPv4(unit)) return loopback.check(unit, 'ipv4');
  return isIPv6(unit) && loopback.check(unit, 'ipv6');
}
