import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ROOT } from '../runtime/paths.mjs';
import { makeNotices } from './notices.mjs';
import { thirdParties } from './tree.mjs';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'satchel-notices-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name, manifest, files) {
  const folder = `node_modules/${name}`;
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...manifest }));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, folder, path), text);
  return folder;
}

it('says each text once, below all packages that bring it, and takes what a package says elsewhere', () => {
  const folders = [
    write('b', { license: 'MIT' }, { LICENSE: 'The same.\r\n' }),
    write('a', { license: 'MIT' }, { 'license.md': 'The same.' }),
    write('notice', { license: 'Apache-2.0' }, { LICENSE: 'Terms.', NOTICE: 'Who made it.' }),
    write(
      'readme',
      { author: 'Its author' },
      { 'README.md': '# readme\n\n## License\n\nMIT, as it says.\n\n## More\n\nNot this.\n' },
    ),
    write('bare', { license: 'ISC', author: { name: 'A person' }, repository: { url: 'git://x' } }, {}),
  ];
  const notices = makeNotices(folders, root);
  expect(notices.match(/The same\./g)).toHaveLength(1);
  expect(notices).toContain('\na 1.0.0 (MIT)\nb 1.0.0 (MIT)\n\nThe same.\n');
  expect(notices).toContain('notice 1.0.0 (Apache-2.0)\n\nTerms.\n\nWho made it.\n');
  expect(notices).toContain('readme 1.0.0 (see below)\n\nBy Its author.\n\nMIT, as it says.\n');
  expect(notices).toContain('bare 1.0.0 (ISC)\n\nBy A person.\ngit://x\n');
  expect(notices).not.toContain('Not this');
  expect(makeNotices(folders.toReversed(), root)).toBe(notices);
});

it('names every package of the server, the page and the sandbox, bundled ones too, and the copied font', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const folders = thirdParties(lock);
  for (const name of ['fastify', 'pg', 'drizzle-orm', 'react', 'hash-wasm', 'ajv', '@aws-sdk/client-s3']) {
    expect(folders).toContain(`node_modules/${name}`);
  }
  const notices = makeNotices(folders);
  expect(notices).not.toMatch(/\)\n\n\n/);
  for (const folder of folders) {
    const { name, version } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    expect(notices).toContain(`${name} ${version} (`);
  }
  expect(notices).toContain('Bricolage Grotesque (OFL-1.1)');
});
