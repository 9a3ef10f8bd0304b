import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Change, type ChangingProxy, type PassedAnswer, startChangingProxy } from '../support/changing-proxy.ts';
import { type Machine, newMachine } from '../support/command-line.ts';
import { type Site, startSite } from '../support/site.ts';

/** `satchel verify` against a site that has been taken over: each thing that was changed is named. */

interface Compared {
  readonly exit_code: number;
  readonly differences: readonly { readonly path: string; readonly what: string; readonly text: string }[];
  readonly own_origins: readonly string[];
  readonly error?: { readonly code: string };
}

let site: Site;
let proxy: ChangingProxy;
let machine: Machine;
beforeAll(async () => {
  [site, machine] = await Promise.all([startSite(), newMachine()]);
  proxy = await startChangingProxy(Number(new URL(site.ownUrl).port));
});
afterAll(async () => {
  await proxy?.close();
  await site?.stop();
  await machine?.remove();
});

async function verify(change: Change, ...flags: readonly string[]): Promise<Compared> {
  proxy.change(change);
  const { code, out, err } = await machine.run(['verify', proxy.url, '--json', ...flags]);
  const said = JSON.parse(out.toString()) as Compared;
  expect([code, err]).toEqual([said.exit_code, expect.any(String)]);
  return said;
}

test('a site that serves the release has no difference, and is told what that does not prove', async () => {
  proxy.change(() => undefined);
  const { code, out, err } = await machine.run(['verify', proxy.url]);
  expect({ code, out: out.toString() }).toEqual({ code: 0, out: '' });
  expect(err).toMatch(/serves the pages and files of release \d+\.\d+\.\d+, manifest SHA-256 [0-9a-f]{64}\n/);
  expect(err).toContain('A server can send one visitor another page');
});

const REDIRECTED = { status: 302, body: Buffer.alloc(0) };
const flipLast = (answer: PassedAnswer) => {
  answer.body = Buffer.concat([answer.body.subarray(0, -1), Buffer.from([answer.body.at(-1)! ^ 1])]);
};
const EVIL = '<script src="/assets/evil.js"></script><script>steal()</script></head>';

/** What has been changed, at which address, and how it is named: one difference each, but for the page with two more scripts. */
const CHANGES: readonly (readonly [path: RegExp, change: (answer: PassedAnswer) => void, named: RegExp])[] = [
  [
    /^\/assets\/upload-worker-.*\.js$/,
    flipLast,
    /^\/assets\/upload-worker-\S+ bytes other bytes: SHA-256 [0-9a-f]{64}, and not /,
  ],
  // In one of the encodings that a server keeps.
  [/^\/assets\/index-.*\.css$/, (answer) => answer.encoding === 'br' && flipLast(answer), /^\S+\.css bytes /],
  [
    /^\/assets\/passphrase-worker-.*\.js$/,
    (answer) => answer.encoding ?? flipLast(answer),
    /^\S+passphrase-worker\S+ bytes /,
  ],
  [
    /^\/upload$/,
    ({ headers }) => {
      const policy = String(headers['content-security-policy']);
      headers['content-security-policy'] = policy.replace(
        "script-src 'self'",
        "script-src 'self' https://evil.example",
      );
    },
    /^\/upload policy .*: script-src 'self' https:\/\/evil\.example /,
  ],
  [/^\/profile$/, ({ headers }) => delete headers['content-security-policy'], /^\/profile policy .*: there is none$/],
  [
    /^\/sw\.js$/,
    ({ headers }) => Object.assign(headers, { 'content-security-policy': 'default-src *' }),
    /^\/sw\.js policy .*default-src \*/,
  ],
  [
    /^\/f$/,
    (answer) => Object.assign(answer, REDIRECTED, { headers: { location: 'https://evil.example/f' } }),
    /^\/f redirect redirects to an absolute address: https:\/\/evil\.example\/f$/,
  ],
  [
    /^\/auth$/,
    (answer) => Object.assign(answer, REDIRECTED, { headers: { location: '//evil.example' } }),
    /^\/auth redirect redirects to an absolute address: \/\/evil\.example$/,
  ],
  [
    /^\/privacy$/,
    ({ headers }) => Object.assign(headers, { link: '</a.css>; rel=stylesheet' }),
    /^\/privacy header sends link: <\/a\.css>/,
  ],
  [
    /^\/docs$/,
    ({ headers }) => Object.assign(headers, { refresh: '0; url=/evil' }),
    /^\/docs header sends refresh: 0; url=\/evil$/,
  ],
  [/^\/mark\.svg$/, (answer) => Object.assign(answer, { status: 404 }), /^\/mark\.svg missing HTTP 404/],
  [
    /^\/operator$/,
    (answer) => Object.assign(answer, { body: Buffer.from(answer.body.toString().replace('</head>', EVIL)) }),
    /^\/operator bytes /,
  ],
];
/** What that page names beside the release. */
const EXTRA = [
  /^\/assets\/evil\.js extra named by \/operator, and not part of the release$/,
  /^\/operator extra 1 inline script/,
];

test('each byte, policy, redirect, header, missing file and further script that was changed is named by its path', async () => {
  const { exit_code, differences } = await verify((path, answer) => {
    CHANGES.find(([changed]) => changed.test(path))?.[1](answer);
  });
  const named = differences.map(({ path, what, text }) => `${path} ${what} ${text}`);
  const expected = [...CHANGES.map(([, , name]) => name), ...EXTRA];
  expect(expected.filter((name) => named.filter((one) => name.test(one)).length !== 1)).toEqual([]);
  expect({ exit_code, named }).toEqual({ exit_code: 4, named: expected.map(() => expect.any(String)) });
});

test('without --json each difference is a line on stdout', async () => {
  proxy.change((path, answer) => {
    if (path === '/sw.js') flipLast(answer);
  });
  const { code, out } = await machine.run(['verify', proxy.url]);
  expect(code).toBe(4);
  expect(out.toString()).toMatch(/^\/sw\.js: other bytes: SHA-256 [0-9a-f]{64}, and not [0-9a-f]{64}\n$/);
});

test('a site’s own origins for the bytes of files are told as its settings, and are no difference', async () => {
  const { exit_code, differences, own_origins } = await verify((_, { headers }) => {
    const policy = headers['content-security-policy']?.toString() ?? '';
    headers['content-security-policy'] = policy.replace(
      /(img-src|media-src|connect-src) [^;]+/g,
      (directive) => `${directive} https://content.example`,
    );
  });
  expect({ exit_code, differences, own_origins }).toEqual({
    exit_code: 0,
    differences: [],
    own_origins: ['https://content.example'],
  });
});

test('a site of another release is not compared with this one’s manifest, but with that release’s where it is given', async () => {
  const other: Change = (asked, answer) => {
    if (asked === '/manifest.json')
      answer.body = Buffer.from(answer.body.toString().replace(/"version": "[^"]+"/, '"version": "9.9.9"'));
  };
  const refused = await verify(other);
  expect([refused.exit_code, refused.error?.code]).toEqual([2, 'verify.other_release']);
  const path = join(machine.folder, 'manifest.json');
  const built = await readFile(join(import.meta.dirname, '../../apps/web/dist/manifest.json'), 'utf8');
  await writeFile(path, built.replace(/"version": "[^"]+"/, '"version": "9.9.9"'));
  expect(await verify(other, '--manifest', path)).toMatchObject({ exit_code: 0, differences: [] });
});
