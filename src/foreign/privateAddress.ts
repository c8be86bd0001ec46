import { type LookupAddress, lookup } from 'node:dns';
import { lookup as lookupAll } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Private addresses: loopback, local networks, link-local, and what is not the address of one host. 198.18.0.0/15 is not
 * among them, because programs that route all traffic map public names to it.
 */
const privateAddresses = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  privateAddresses.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  // ::, ::1 and IPv4-compatible addresses. BlockList itself handles IPv4-mapped ones such as ::ffff:10.0.0.1.
  ['::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
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
  if (family !== 6) return family === 4 && privateAddresses.check(address, 'ipv4');
  return privateAddresses.check(address, 'ipv6') || leadsToPrivate(address);
}

/** The bytes of an IPv6 address that hold the IPv4 address that a translator or a tunnel sends to. */
const embedded: readonly {
  readonly network: BlockList;
  readonly places: readonly (readonly number[])[];
  /** Whether the bytes are inverted. */
  readonly isInverted?: boolean;
}[] = [
  { network: subnet('64:ff9b::', 96), places: [[12, 13, 14, 15]] },
  // NAT64 of a local network, whose prefix has one of several lengths (RFC 6052, 8215).
  {
    network: subnet('64:ff9b:1::', 48),
    places: [
      [6, 7, 9, 10],
      [7, 9, 10, 11],
      [9, 10, 11, 12],
      [12, 13, 14, 15],
    ],
  },
  { network: subnet('::ffff:0:0:0', 96), places: [[12, 13, 14, 15]] },
  // 6to4.
  { network: subnet('2002::', 16), places: [[2, 3, 4, 5]] },
  // Teredo: the server, and the client behind it.
  { network: subnet('2001::', 32), places: [[4, 5, 6, 7]] },
  { network: subnet('2001::', 32), places: [[12, 13, 14, 15]], isInverted: true },
];

function subnet(network: string, prefix: number): BlockList {
  const list = new BlockList();
  list.addSubnet(network, prefix, 'ipv6');
  return list;
}

/** Whether an IPv6 address holds a private IPv4 address that it leads to. */
function leadsToPrivate(address: string): boolean {
  return embedded.some(({ network, places, isInverted }) => {
    if (!network.check(address, 'ipv6')) return false;
    const bytes = bytesOf(address).map((byte) => (isInverted ? 255 - byte : byte));
    const all = places.map((place) => place.map((index) => bytes[index]).join('.'));
    // Places that the prefix does not use are mostly zero.
    const used = all.filter((one) => !one.startsWith('0.'));
    return used.length === 0 || used.some((one) => privateAddresses.check(one, 'ipv4'));
  });
}

/** Returns the 16 bytes of an IPv6 address. */
function bytesOf(address: string): readonly number[] {
  // Here an IPv4 address at the end becomes two groups.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groupsIn = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [first, last] = [groupsIn(head), groupsIn(tail ?? '')];
  const zeros = Array<number>(8 - first.length - last.length).fill(0);
  return [...first, ...zeros, ...last].flatMap((group) => [group >> 8, group & 255]);
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
