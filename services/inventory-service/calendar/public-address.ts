import { BlockList, isIP } from 'node:net';

/** IPv4 that is not the public internet (IANA special-purpose registry), the metadata address of clouds among it. */
const special4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local; 169.254.169.254 hands out credentials
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
] as const;

/** Within 2000::/3 that is not the public internet, or holds an IPv4 address that may not be. */
const special6 = [
  ['2001::', 23], // protocol assignments, Teredo among them
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4
  ['3fff::', 20],
] as const;

const refused = new BlockList();
for (const [net, bits] of special4) refused.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of special6) refused.addSubnet(net, bits, 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/**
 * True for an address on the public internet (safety 24). Of IPv6 only 2000::/3 is: loopback, ULA, link-local, mapped
 * IPv4 and NAT64 lie outside.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.split('%')[0] ?? address;
  const family = isIP(bare);
  if (family === 4) return !refused.check(bare, 'ipv4');
  return family === 6 && global6.check(bare, 'ipv6') && !refused.check(bare, 'ipv6');
}
