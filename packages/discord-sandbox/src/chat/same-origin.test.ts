import { expect, test } from 'vitest';
import { gatewayIn } from './same-origin.ts';

const HEAD = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n';

test.each([
  [
    'eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\neth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0\n',
    '172.17.0.1',
  ],
  ['eth0\t0000590A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n', null],
  ['', null],
])('the gateway of a container’s network', (routes, gateway) => {
  expect(gatewayIn(HEAD + routes)).toBe(gateway);
});
