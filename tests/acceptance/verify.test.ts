import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Change, type ChangingProxy, startChangingProxy } from '../support/changing-proxy.ts';
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
let files: string[] = [];
beforeAll(async () => {
  [site, machine] = await Promise.all([startSite(), newMachine()]);
  proxy = await startChangingProxy(Number(new URL(site.ownUrl).port));
  const manifest = (await (await fetch(`${site.url}/manifest.json`)).json()) as { files: Record<string, string> };
  files = Object.keys(manifest.files);
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

const named = (pattern: RegExp): string => {
  const found = files.find((path) => pattern.test(path));
  if (found === undefined) throw new Error(`no file of the build is ${pattern}`);
  return found;
};

test('a site that serves the release has no difference, and is told what that does not prove', async () => {
  proxy.change(() => undefined);
  const { code, out, err } = await machine.run(['verify', proxy.url]);
  expect({ code, out: out.toString() }).toEqual({ code: 0, out: '' });
  expect(err).toMatch(/serves the pages and files of release \d+\.\d+\.\d+, manifest SHA-256 [0-9a-f]{64}\n/);
  expect(err).toContain('A server can send one visitor another page');
});

test('one byte of one script is named by its path, also where only one encoding has it', async () => {
  const path = named(/^\/assets\/upload-worker-.*\.js$/);
  for (const encodings of [['br', undefined], ['br'], [undefined]]) {
    const { exit_code, differences } = await verify((asked, answer) => {
      if (asked !== path || !encodings.includes(answer.encoding)) return;
      answer.body = Buffer.concat([answer.body.subarray(0, -1), Buffer.from([answer.body.at(-1)! ^ 1])]);
    });
    expect(exit_code).toBe(4);
    expect(differences.map((one) => [one.path, one.what])).toEqual([[path, 'bytes']]);
  }
});

test('without --json each difference is a line on stdout', async () => {
  const path = named(/\.css$/);
  proxy.change((asked, answer) => {
    if (asked === path) answer.body = Buffer.from('*{}');
  });
  const { code, out } = await machine.run(['verify', proxy.url]);
  expect(code).toBe(4);
  expect(out.toString()).toMatch(/^\/assets\/\S+\.css: other bytes: SHA-256 [0-9a-f]{64}, and not [0-9a-f]{64}\n$/);
});

test.each<[string, string, Change, string, string]>([
  [
    'a page’s policy that allows another script',
    '/upload',
    (_, { headers }) => {
      headers['content-security-policy'] = headers['content-security-policy']
        ?.toString()
        .replace("script-src 'self'", "script-src 'self' https://evil.example");
    },
    'policy',
    'script-src .*https://evil\\.example',
  ],
  [
    'a page without a policy',
    '/upload',
    (_, { headers }) => {
      delete headers['content-security-policy'];
    },
    'policy',
    'there is none',
  ],
  [
    'a worker’s policy',
    '/sw.js',
    (_, { headers }) => {
      headers['content-security-policy'] = 'default-src *';
    },
    'policy',
    'default-src \\*',
  ],
  [
    'an absolute redirect',
    '/f',
    (_, answer) => {
      Object.assign(answer, { status: 302, headers: { location: 'https://evil.example/f' }, body: Buffer.alloc(0) });
    },
    'redirect',
    'absolute address: https://evil\\.example/f',
  ],
  [
    'a redirect without a scheme',
    '/f',
    (_, answer) => {
      Object.assign(answer, { status: 302, headers: { location: '//evil.example/f' }, body: Buffer.alloc(0) });
    },
    'redirect',
    'absolute address: //evil',
  ],
  [
    'a Link header',
    '/privacy',
    (_, { headers }) => {
      headers.link = '<https://evil.example/a.css>; rel=stylesheet';
    },
    'header',
    'link: <https://evil',
  ],
  [
    'a Refresh header',
    '/privacy',
    (_, { headers }) => {
      headers.refresh = '0; url=https://evil.example';
    },
    'header',
    'refresh: 0; url',
  ],
  [
    'a missing file',
    '/mark.svg',
    (_, answer) => {
      answer.status = 404;
    },
    'missing',
    'HTTP 404',
  ],
])('%s is named', async (_, path, change, what, text) => {
  const { exit_code, differences } = await verify((asked, answer) => {
    if (asked === path) change(asked, answer);
  });
  expect(exit_code).toBe(4);
  expect(differences).toEqual([{ path, what, text: expect.stringMatching(text) }]);
});

test('a script that a page has beside the release’s is named, and so is an inline one', async () => {
  const { differences } = await verify((asked, answer) => {
    if (asked !== '/operator') return;
    const evil = '<script src="/assets/evil.js"></script><script>steal()</script>';
    answer.body = Buffer.from(answer.body.toString().replace('</head>', `${evil}</head>`));
  });
  expect(differences.map(({ path, what, text }) => `${path} ${what} ${text}`)).toEqual([
    expect.stringMatching(/^\/assets\/evil\.js extra named by \/operator/),
    expect.stringMatching(/^\/operator bytes other bytes/),
    expect.stringMatching(/^\/operator extra 1 inline script/),
  ]);
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
