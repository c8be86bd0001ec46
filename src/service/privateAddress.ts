import { lookup } from 'node:dns';
import { lookup as lookupAll } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP } from 'node:net';

/**
 * Addresses that lead into a house instead of out: this machine, local networks, what is said on one link only.
 * 198.18.0.0/15 is not among them: the programs that route all traffic give every public name an address from there.
 */
const inside = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  inside.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  // ::, ::1 and IPv4 addresses in their oldest IPv6 form; BlockList itself looks into ::ffff:10.0.0.1.
  ['::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
] as const) {
  inside.addSubnet(network, prefix, 'ipv6');
}

/** A name or number that was not called because it leads to a private address. */
export class PrivateAddressError extends Error {
  constructor(host: string) {
    super(`${host} is a private address`);
  }
}

/** Whether a host is a private address by number; false for names. */
export function isPrivateAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$|%.*$/g, '');
  const family = isIP(address);
  return family !== 0 && inside.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether a host is a private address by number or by name. */
export async function leadsInside({ hostname }: URL): Promise<boolean> {
  try {
    const addresses = await lookupAll(hostname.replace(/^\[|\]$/g, ''), { all: true });
    return addresses.some(({ address }) => isPrivateAddress(address));
  } catch {
    return false;
  }
}

/** Resolves names for a connection that must lead to no private address; what is checked is what is called. */
export const lookupOutside: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, address, family) => {
    const addresses = typeof address === 'string' ? [address] : (address ?? []).map((one) => one.address);
    callback(error ?? (addresses.some(isPrivateAddress) ? new PrivateAddressError(hostname) : null), address, family);
  });
};
