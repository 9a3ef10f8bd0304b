import { describe, expect, test } from 'vitest';
import { createProxyCheck, networkOf } from './networks.ts';

describe('the network of an address', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1:2:3:4%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('a trusted proxy', () => {
  const isProxy = createProxyCheck(['127.0.0.1', '10.1.0.0/16', '::1/128', 'fd00:1::/32']);

  test.each([
    ['127.0.0.1', true],
    ['::ffff:127.0.0.1', true],
    ['127.0.0.2', false],
    ['10.1.255.1', true],
    ['10.2.0.1', false],
    ['::1', true],
    ['::2', false],
    ['fd00:1:9::1', true],
    ['fd00:2::1', false],
    ['fd00:1::5%eth0', true],
    ['', false],
    ['unknown', false],
  ])('at %s: %s', (address, is) => {
    expect(isProxy(address)).toBe(is);
  });

  test('is nowhere when none is named', () => {
    expect(createProxyCheck([])('127.0.0.1')).toBe(false);
  });
});
