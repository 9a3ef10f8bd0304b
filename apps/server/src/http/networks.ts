import { BlockList, isIP, isIPv6 } from 'node:net';

/** The networks that clients are told apart by: an IPv4 address, or the /64 of an IPv6 one. */

/** The IPv4 address in an IPv4-mapped IPv6 one, and any other as it is. */
const unmapped = (address: string): string => /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;

/**
 * The network that an address stands for. A client with one IPv6 address has the 2^64 of its network.
 * @param address as the socket, or a trusted proxy, says it
 */
export function networkOf(address: string): string {
  const plain = unmapped(address);
  if (!isIPv6(plain)) return plain;
  const [before = '', after] = plain.split('%', 1).join().split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after ? after.split(':') : [];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  const network = [...head, ...(after === undefined ? [] : zeros), ...tail].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/**
 * Tells trusted proxies from clients by the address of a connection's other end.
 * @param ranges addresses and CIDR ranges, as in TRUST_PROXY
 */
export function createProxyCheck(ranges: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    const family = isIPv6(network) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) proxies.addAddress(network, family);
    else proxies.addSubnet(network, Number(prefix), family);
  }
  return (address) => {
    const plain = unmapped(address).split('%', 1).join();
    if (isIP(plain) === 0) return false;
    return proxies.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}
