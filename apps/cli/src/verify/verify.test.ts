import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ANSWER_POLICY, DISABLED_FEATURES } from '@satchel/contract/page-policy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReleaseManifest } from './release-manifest.ts';
import { compareSite } from './verify.ts';

const BODY = 'the one page';
const digest = createHash('sha256').update(BODY).digest();
const MANIFEST: ReleaseManifest = {
  version: '1.0.0',
  policies: { '/': ANSWER_POLICY },
  pages: ['/'],
  files: { '/index.html': digest.toString('base64url') },
  wasm: [],
  sha256: digest.toString('hex'),
};
const CLOSED = DISABLED_FEATURES.map((name) => `${name}=()`);

let permissions: string[] = [];
const server = createServer(({ url = '' }, answer) => {
  const isThere = url === '/' || url === '/manifest.json';
  answer.setHeader('content-security-policy', ANSWER_POLICY);
  if (permissions.length > 0 && url === '/') answer.setHeader('permissions-policy', permissions);
  if (url !== '/') answer.setHeader('permissions-policy', CLOSED.join(', '));
  answer.writeHead(isThere ? 200 : 404).end(BODY);
});
beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
afterAll(() => server.close());

async function differencesWith(...served: string[]) {
  permissions = served;
  const { port } = server.address() as AddressInfo;
  const { differences } = await compareSite(`http://127.0.0.1:${port}`, MANIFEST);
  return differences.map(({ path, what, text }) => `${path} ${what} ${text}`);
}

test('a page that closes what the release closes does not differ, also where it closes more', async () => {
  expect(await differencesWith(CLOSED.join(', '))).toEqual([]);
  expect(await differencesWith([...CLOSED].reverse().join(','), 'interest-cohort=()')).toEqual([]);
});

test.each([
  [[], DISABLED_FEATURES.join(', ')],
  [[CLOSED.slice(1).join(', ')], 'camera'],
  [[CLOSED.join(', ').replace('microphone=()', 'microphone=(self)')], 'microphone'],
  [[CLOSED.join(', '), 'usb=*'], 'usb'],
])('a page with the Permissions-Policy %j leaves open %s', async (served, open) => {
  expect(await differencesWith(...served)).toEqual([`/ policy Permissions-Policy leaves open: ${open}`]);
});
