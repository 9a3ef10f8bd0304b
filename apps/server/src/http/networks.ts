import { BlockList, isIP, isIPv6 } from 'node:net';

/** How clients are told apart by network: one IPv4 address, or the /64 of an IPv6 address. */

/** The IPv4 address inside an IPv4-mapped IPv6 one; any other stays. */
const unmapped = (address: string): string => /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;

/**
 * The network of an address. A client with one IPv6 address commands the 2^64 of its network.
 * @param address as the socket or a trusted proxy gives it
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
 * Recognizes trusted proxies by the address of a connection's other end.
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
