import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns';
import { lookup as lookupAll } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP } from 'node:net';

/**
 * Private addresses: loopback, local networks, link-local. 198.18.0.0/15 is not among them, because programs that route
 * all traffic map public names to it.
 */
const privateAddresses = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  privateAddresses.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  // ::, ::1 and IPv4-compatible addresses. BlockList itself handles IPv4-mapped ones such as ::ffff:10.0.0.1.
  ['::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
] as const) {
  privateAddresses.addSubnet(network, prefix, 'ipv6');
}

/** Thrown instead of connecting to a private address. */
export class PrivateAddressError extends Error {
  constructor(host: string) {
    super(`${host} is a private address`);
  }
}

/** Whether a host is a private IP address; false for names. */
export function isPrivateAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$|%.*$/g, '');
  const family = isIP(address);
  return family !== 0 && privateAddresses.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether a host is a private IP address, or a name that resolves to one. */
export async function resolvesToPrivate({ hostname }: URL): Promise<boolean> {
  try {
    const addresses = await lookupAll(hostname.replace(/^\[|\]$/g, ''), { all: true });
    return addresses.some(({ address }) => isPrivateAddress(address));
  } catch {
    return false;
  }
}

function areAllPrivate(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every(isPrivateAddress);
}

/** Resolves names for connections, and notes for each whether all its addresses have always been private. */
export function notingLookup(noted: Map<string, boolean>): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, address, family) => {
      if (!error) noted.set(hostname, noted.get(hostname) !== false && areAllPrivate(textsOf(address)));
      callback(error, address, family);
    });
}

/**
 * Resolves a name for a connection and rejects private addresses. Checking here, not earlier, prevents DNS rebinding.
 */
export const lookupOutside: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, address, family) => {
    const isPrivate = textsOf(address).some(isPrivateAddress);
    callback(error ?? (isPrivate ? new PrivateAddressError(hostname) : null), address, family);
  });
};

function textsOf(address: string | readonly LookupAddress[] | undefined): readonly string[] {
  return typeof address === 'string' ? [address] : (address ?? []).map((one) => one.address);
}
