import { expect, test } from 'vitest';
import { checkWorkerAddress, workerAddress } from './worker-addresses.ts';

test('the addresses of the page’s own workers pass', () => {
  const addresses = (['content', 'open', 'opening', 'passphrase', 'still', 'upload', 'media'] as const).map(
    workerAddress,
  );
  expect(new Set(addresses).size).toBe(7);
  for (const address of addresses) expect(checkWorkerAddress(address)).toBe(address);
});

test.each([
  ['another script of this site', '/assets/start.js'],
  ['a worker with a search', '/sw.js?x'],
  ['a worker by its full address', 'https://satchel.example/sw.js'],
  ['another site', 'https://evil.example/sw.js'],
  ['another site without a scheme', '//evil.example/sw.js'],
  ['a script in the address', 'data:text/javascript,alert(1)'],
  ['a blob', 'blob:https://satchel.example/1'],
  ['a property that each object has', 'constructor'],
  ['nothing', ''],
])('%s is refused', (_name, address) => {
  expect(() => checkWorkerAddress(address)).toThrow(TypeError);
});
