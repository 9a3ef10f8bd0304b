import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, open, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PATHS } from '@satchel/contract/paths';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Machine, newMachine, signInMachine } from '../support/command-line.ts';
import { createFolderAs, type Person } from '../support/people.ts';
import { type Site, startSite } from '../support/site.ts';

let site: Site;
let machine: Machine;
let stranger: Machine;
let mika: Person;
beforeAll(async () => {
  [site, machine, stranger] = await Promise.all([startSite(), newMachine(), newMachine()]);
  mika = await signInMachine(site, machine, 'mika');
});
afterAll(async () => {
  await Promise.all([machine?.remove(), stranger?.remove()]);
  await site?.stop();
});

const LINK = /^(http:\/\/127\.0\.0\.1:\d+\/f\/([\w-]{16,}))(#k=[\w-]{43})?\n$/;

/** Uploads, and checks that stdout is the link and nothing else. */
async function put(args: readonly string[], stdin: string | Uint8Array = '') {
  const { code, out, err } = await machine.run(['put', ...args], { stdin });
  expect({ code, err }).toMatchObject({ code: 0 });
  const [link = '', address = '', slug = '', key = ''] = LINK.exec(out.toString()) ?? [];
  expect(out.toString()).toBe(link);
  return { link: link.trim(), address, slug, key, err };
}

/** Digests of all files below a folder, by their paths. */
async function digests(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const pairs = files.sort().map(async (path) => {
    const digest = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    return [path.slice(folder.length + 1), digest] as const;
  });
  return Object.fromEntries(await Promise.all(pairs));
}

const ls = async (link: string) =>
  (
    JSON.parse((await machine.run(['ls', '-', '--json'], { stdin: link })).out.toString()) as {
      files: { path: string }[];
    }
  ).files;

test('a tree comes back with its paths, bytes and times on a machine that has the link alone', async () => {
  const tree = join(machine.folder, 'tree');
  for (let at = 0; at < 120; at += 1) {
    const folder = join(tree, `day ${at % 7}`, at % 3 === 0 ? 'inner' : '.');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `ü ${at}: "note".txt`), `note ${at} `.repeat(at * 50));
  }
  await writeFile(join(tree, 'large.bin'), Buffer.alloc(5 * 1024 * 1024 + 3, 'large'));
  await utimes(join(tree, 'large.bin'), 1_000_000_000, 1_000_000_000);
  await writeFile(join(machine.folder, 'outside.txt'), 'outside');
  await symlink(join(tree, 'large.bin'), join(tree, 'linked.bin'));
  await symlink(join(machine.folder, 'outside.txt'), join(tree, 'leads-out.txt'));
  await symlink(tree, join(tree, 'circle'));
  const { link, err } = await put(['tree']);
  expect(err).toContain('left out: ');
  const get = await stranger.run(['get', '-'], { stdin: link });
  expect(get.code).toBe(0);
  const expected = await digests(tree);
  expected['linked.bin'] = expected['large.bin'] ?? '';
  expect(await digests(join(stranger.folder, 'tree'))).toEqual(expected);
  expect((await stat(join(stranger.folder, 'tree/large.bin'))).mtimeMs).toBe(1_000_000_000_000);
  // What the server has of it says no name.
  const listed = await mika.call('POST', `${PATHS.list}/unlocked-folders`, { prefix: '', limit: 1000 });
  expect(await listed.text()).not.toContain('note');
});

test('what can’t be read is named, the rest goes, and the exit code says so', async () => {
  await mkdir(join(machine.folder, 'odd'));
  execFileSync('mkfifo', [join(machine.folder, 'odd/pipe')]);
  await writeFile(join(machine.folder, 'odd/file.txt'), 'file');
  const { code, out, err } = await machine.run(['put', 'odd']);
  expect({ code, out: out.toString() }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/skipped: odd\/pipe: neither file nor directory\n/);
  const [link = ''] = /http\S+/.exec(err) ?? [];
  expect(await ls(link)).toMatchObject([{ path: 'odd/file.txt' }]);
});

test('a screenshot from a pipe is a picture by its bytes, and one of any length goes', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const { link } = await put(['-'], png);
  expect(await ls(link)).toMatchObject([{ path: expect.stringMatching(/\.png$/), size: png.length }]);
  const long = Buffer.alloc(20 * 1024 * 1024 + 1, 'film');
  const film = await put(['-', '--name', 'film.bin'], long);
  const { code, out } = await stranger.run(['get', '-', '--stdout'], { stdin: film.link });
  expect({ code, isSame: out.equals(long) }).toEqual({ code: 0, isSame: true });
  expect(await readdir(join(machine.config, 'pipes'))).toEqual([]);
});

test('a slow reader of a pipe gets every byte', async () => {
  const content = Buffer.alloc(4 * 1024 * 1024 + 5, 'slow');
  const { link } = await put(['-'], content);
  const { child, ended } = stranger.start(['get', '-', '--stdout'], { stdin: link });
  child.stdout?.pause();
  await Promise.race([ended, pause(500)]);
  child.stdout?.resume();
  const { code, out } = await ended;
  expect({ code, isSame: out.equals(content) }).toEqual({ code: 0, isSame: true });
});

test('a photograph goes without its place and its time, unless they are wanted', async () => {
  const exif = Buffer.concat([
    Buffer.from('Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0', 'latin1'),
    Buffer.from('Secret Camera'),
  ]);
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif]);
  const rest = Buffer.from('ffdb000400ffffda0008010100003f0011ffd9', 'hex');
  await writeFile(join(machine.folder, 'photo.jpg'), Buffer.concat([Buffer.from('ffd8', 'hex'), segment, rest]));
  const bytesBy = async (...flags: string[]) => {
    const { link } = await put(['photo.jpg', ...flags]);
    return (await stranger.run(['get', '-', '--stdout'], { stdin: link })).out.toString('latin1');
  };
  expect(await bytesBy()).not.toContain('Secret Camera');
  expect(await bytesBy('--keep-metadata')).toContain('Secret Camera');
});

test('a passphrase is never an argument, and opens the folder together with the link only', async () => {
  await writeFile(join(machine.folder, 'secret.txt'), 'secret');
  await writeFile(join(machine.folder, 'pass'), 'grüne Wolke 7\n');
  await writeFile(join(stranger.folder, 'pass'), 'grüne Wolke 7');
  await writeFile(join(stranger.folder, 'wrong'), 'graue Wolke 7');
  const { link } = await put(['secret.txt', '--passphrase-file', 'pass']);
  const wrong = await stranger.run(['get', '-', '--passphrase-file', 'wrong'], { stdin: link });
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('Wrong passphrase') });
  const right = await stranger.run(['get', '--passphrase-file', 'pass', '--stdout'], { stdin: link });
  expect({ code: right.code, out: right.out.toString() }).toEqual({ code: 0, out: 'secret' });
  await writeFile(join(machine.folder, 'weak'), '12345678');
  expect(await machine.run(['put', 'secret.txt', '--passphrase-file', 'weak'])).toMatchObject({ code: 1 });
});

test.each([
  ['--discord', 'private/a.txt'],
  ['--plain', 'a.txt'],
  ['--show-names', 'private/a.txt'],
])('%s: the folder is what was asked for, and its link opens it', async (flag, path) => {
  await mkdir(join(machine.folder, 'private'), { recursive: true });
  await writeFile(join(machine.folder, 'private/a.txt'), `content ${flag}`);
  const { link, key, slug } = await put(['private', flag, '--expires', '6h', '--name', `of ${flag}`]);
  expect(key === '').toBe(flag !== '--show-names');
  const get = await stranger.run(['get', '-', '-o', `of${flag}`], { stdin: link });
  expect(get).toMatchObject({ code: 0 });
  expect(await readFile(join(stranger.folder, `of${flag}`, path), 'utf8')).toBe(`content ${flag}`);
  const folders = JSON.parse((await machine.run(['ls', '--json'])).out.toString()).folders as {
    name: string;
    address: string;
    expires_at: string;
  }[];
  const mine = folders.find(({ address }) => address.endsWith(slug));
  expect(mine).toMatchObject({ name: `of ${flag}` });
  expect(Date.parse(mine?.expires_at ?? '')).toBeLessThan(Date.now() + 7 * 3_600_000);
});

test('--to adds to a folder by its name or by its link, and leaves files that are there', async () => {
  await writeFile(join(machine.folder, 'one.txt'), 'one');
  await writeFile(join(machine.folder, 'two.txt'), 'two');
  const { link, address } = await put(['one.txt', '--name', 'Builds']);
  const again = await put(['one.txt', 'two.txt', '--to', 'Builds']);
  expect(again.link).toBe(link);
  expect(again.err).toContain('1 file was in the folder already');
  await writeFile(join(machine.folder, 'two.txt'), 'two, changed');
  await put(['two.txt', '--to', address]);
  expect((await ls(link)).map(({ path }) => path).sort()).toEqual(['one.txt', 'two (2).txt', 'two.txt']);
  expect(await machine.run(['put', 'one.txt', '--to', 'Nothing'])).toMatchObject({ code: 2 });
  expect(await machine.run(['put', 'one.txt', '--to', 'Builds', '--plain'])).toMatchObject({ code: 1 });
});

test('a folder of the page’s pipeline opens, before and after its link is replaced', async () => {
  const file = { name: 'page.txt', mimeType: 'text/plain', buffer: Buffer.from('of the page') };
  const folder = await createFolderAs(mika, site, { name: 'Page', files: [file] });
  const old = folder.link();
  expect((await stranger.run(['get', '--stdout'], { stdin: old })).out.toString()).toBe('of the page');
  const link = await folder.replaceLink();
  expect((await stranger.run(['get', '--stdout'], { stdin: link })).out.toString()).toBe('of the page');
  expect(await stranger.run(['get', '--stdout'], { stdin: old })).toMatchObject({ code: 2, out: Buffer.alloc(0) });
  await writeFile(join(machine.folder, 'more.txt'), 'more');
  const by = await machine.run(['put', 'more.txt', '--to', link]);
  expect(by).toMatchObject({ code: 0 });
  expect((await ls(link)).map(({ path }) => path).sort()).toEqual(['more.txt', 'page.txt']);
});

test('hostile names stay in the directory, and nothing is overwritten or reached through a link', async () => {
  const names = ['../up.txt', '/etc/passwd', '..', 'a\u001b[31mred.txt', 'Same.txt', 'same.txt'];
  const files = names.map((name, at) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`${at}`) }));
  const deep = { ...(files[0] as (typeof files)[0]), name: 'deep.txt', directory: '../../x' };
  const folder = await createFolderAs(mika, site, { name: 'Hostile', files: [...files, deep] });
  await stranger.run(['get', '-', '-o', 'hostile/here'], { stdin: folder.link() });
  expect(Object.keys(await digests(join(stranger.folder, 'hostile'))).length).toBe(names.length + 1);
  const [, ...outside] = await readdir(join(stranger.folder, 'hostile'));
  expect(outside).toEqual([]);
  const again = await stranger.run(['get', '-', '-o', 'hostile/here'], { stdin: folder.link() });
  expect(again).toMatchObject({ code: 2, err: expect.stringContaining('-f overwrites it') });
  expect(again.err).not.toContain('\u001b');
  expect(await stranger.run(['get', '-f', '-', '-o', 'hostile/here'], { stdin: folder.link() })).toMatchObject({
    code: 0,
  });
  // The tree's own directory is a link to somewhere else here.
  await mkdir(join(stranger.folder, 'elsewhere'));
  await mkdir(join(stranger.folder, 'trap'));
  await symlink(join(stranger.folder, 'elsewhere'), join(stranger.folder, 'trap/x'));
  expect(await stranger.run(['get', '-', '-o', 'trap'], { stdin: folder.link() })).toMatchObject({ code: 2 });
  expect(await readdir(join(stranger.folder, 'elsewhere'))).toEqual([]);
});

test('a file whose stored bytes were changed never gets its name', async () => {
  await writeFile(join(machine.folder, 'proven.bin'), Buffer.alloc(7_654_321, 'proven'));
  const { link } = await put(['proven.bin']);
  const stored = await readdir(site.dataDir, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of stored.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name);
    const { size } = await stat(path);
    if (size < 7_654_321 || size > 8_000_000) continue;
    const blob = await open(path, 'r+');
    await blob.write(Buffer.from('changed'), 0, 7, 6_000_000);
    await blob.close();
  }
  const { code, err } = await stranger.run(['get', '-', '-o', 'forged'], { stdin: link });
  expect({ code, err }).toMatchObject({ code: 4, err: expect.stringContaining('HMAC') });
  expect(await readdir(join(stranger.folder, 'forged'))).toEqual(['proven.bin.part']);
});

test('what is kept is for its owner alone; errors and output hold no secret', async () => {
  const kept = await readdir(machine.config, { recursive: true, withFileTypes: true });
  for (const entry of kept) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    expect([entry.name, (mode & 0o777).toString(8)]).toEqual([entry.name, entry.isDirectory() ? '700' : '600']);
    if (entry.isFile()) expect(await readFile(join(entry.parentPath, entry.name), 'utf8')).not.toMatch(/Wolke|\.txt/);
  }
  expect(((await stat(machine.config)).mode & 0o777).toString(8)).toBe('700');
  const { key, link } = await put(['one.txt']);
  const warned = await stranger.run(['get', link, '-o', 'warned']);
  expect(warned.err).toMatch(/^warning: other users of this machine can see arguments/);
  expect(warned.err).not.toContain(key);
  const broken = await stranger.run(['get', '-', '-o', 'broken'], { stdin: link.slice(0, -3) });
  expect(broken).toMatchObject({ code: 2 });
  expect(broken.err).not.toContain(key.slice(0, 20));
  const [signInText, keysText] = [await readFile(join(machine.config, 'sign-ins.json'), 'utf8'), site.logs()];
  const { token } = (JSON.parse(signInText) as { token: string }[])[0] ?? { token: '' };
  expect(token).toHaveLength(43);
  expect(keysText).not.toContain(token);
  expect(keysText).not.toContain(key.slice('#k='.length));
});

test.each([
  [1, ['frobnicate'], 'no command'],
  [1, ['put'], 'what?'],
  [1, ['put', 'not-there.txt'], 'ENOENT'],
  [1, ['put', 'one.txt', '--expires', 'soon'], '--expires'],
  [1, ['put', 'one.txt', '--what'], '--what'],
  [1, ['get', 'no link'], 'not a link to a folder'],
  [1, ['get', '-'], 'not a link to a folder'],
  [2, ['put', 'one.txt', '--site', 'elsewhere.example'], 'not signed in'],
])('exits %i and prints nothing for %j', async (code, args, words) => {
  await cp(join(machine.folder, 'outside.txt'), join(machine.folder, 'one.txt'));
  const plain = await machine.run(args);
  expect(plain).toMatchObject({ code, out: Buffer.alloc(0), err: expect.stringContaining(words) });
  const json = await machine.run([...args, '--json']);
  expect(JSON.parse(json.out.toString())).toMatchObject({
    exit_code: code,
    error: { message: expect.stringContaining(words) },
  });
});

test('exits 3 where there is no server, and 2 where there is no folder', async () => {
  const nowhere = await stranger.run(['get', '-'], { stdin: 'http://127.0.0.1:9/f/AAAAAAAAAAAAAAAA' });
  expect(nowhere).toMatchObject({ code: 3, err: expect.stringContaining('could not be reached') });
  const none = await stranger.run(['get', '-'], { stdin: `${site.url}/f/AAAAAAAAAAAAAAAA` });
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining('Folder not found') });
});

test('rm deletes files and folders of one’s own, and asks before', async () => {
  await mkdir(join(machine.folder, 'gone'), { recursive: true });
  await writeFile(join(machine.folder, 'gone/a.txt'), 'a');
  await writeFile(join(machine.folder, 'gone/b.txt'), 'b');
  const { link } = await put(['gone']);
  expect(await machine.run(['rm', '-', 'gone/a.txt'], { stdin: link })).toMatchObject({ code: 1 });
  expect(await machine.run(['rm', '-y', '-', 'gone/none.txt'], { stdin: link })).toMatchObject({ code: 2 });
  expect(await machine.run(['rm', '-y', '-', 'gone/a.txt'], { stdin: link })).toMatchObject({ code: 0 });
  expect(await ls(link)).toMatchObject([{ path: 'gone/b.txt' }]);
  expect(await stranger.run(['rm', '-y', '-'], { stdin: link })).toMatchObject({ code: 2 });
  expect(await machine.run(['rm', '-y', '-'], { stdin: link })).toMatchObject({ code: 0 });
  expect(await stranger.run(['get', '-'], { stdin: link })).toMatchObject({ code: 2 });
});

test('a sign-in that was ended says so; whoami and logout know their site', async () => {
  const other = await newMachine();
  const jonas = await signInMachine(site, other, 'jonas');
  expect((await other.run(['whoami'])).out.toString()).toMatch(new RegExp(` at ${site.url}\n$`));
  await writeFile(join(other.folder, 'a.txt'), 'a');
  const sessions = (await (await jonas.call('GET', PATHS.sessions)).json()) as { id: string; kind: string }[];
  const device = sessions.find(({ kind }) => kind === 'device');
  await jonas.call('DELETE', `${PATHS.sessions}/${device?.id}`);
  expect(await other.run(['put', 'a.txt'])).toMatchObject({ code: 2, err: expect.stringContaining('satchel login') });
  expect(await other.run(['logout'])).toMatchObject({ code: 0 });
  expect(await other.run(['whoami'])).toMatchObject({ code: 2 });
  await other.remove();
});
