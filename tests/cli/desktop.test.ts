import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Machine, newMachine, signInMachine } from '../support/command-line.ts';
import { type Site, startSite } from '../support/site.ts';

/** What a desktop has: a clipboard, a camera that reads the screen, a keyring. */

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site?.stop());

/** A program of the machine that keeps its arguments and its input. */
async function installRecorder(machine: Machine, name: string): Promise<void> {
  const path = join(machine.folder, 'bin', name);
  await mkdir(join(machine.folder, 'bin'), { recursive: true });
  await writeFile(path, `#!/bin/sh\nprintf '%s\\n' "$*" > "$HOME/arguments"\ncat > "$HOME/input"\n`);
  await chmod(path, 0o755);
}

test('--copy and --qr hand the link on by no argument, and stdout is the link alone', async () => {
  const machine = await newMachine();
  await signInMachine(site, machine, 'mika');
  await writeFile(join(machine.folder, 'note.txt'), 'note');
  const none = await machine.run(['put', 'note.txt', '--copy']);
  expect(none).toMatchObject({ code: 0, err: expect.stringContaining('not copied: there is no clipboard here') });
  await installRecorder(machine, 'wl-copy');
  const env = { PATH: `${join(machine.folder, 'bin')}:${process.env.PATH}`, WAYLAND_DISPLAY: 'wayland-0' };
  const { code, out, err } = await machine.run(['put', 'note.txt', '--copy', '--qr'], { env });
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out.toString()).toMatch(/^http\S+#k=[\w-]{43}\n$/);
  expect(await readFile(join(machine.folder, 'input'), 'utf8')).toBe(out.toString().trim());
  expect(await readFile(join(machine.folder, 'arguments'), 'utf8')).toBe('\n');
  const drawn = err.split('\n').filter((line) => /^[█▀▄ ]{30,}$/.test(line));
  // Each line has two rows of modules.
  expect(drawn.length).toBe(Math.ceil((drawn[0]?.length ?? 0) / 2));
  await machine.remove();
});

/** `@napi-rs/keyring` over a file, or one that is locked. */
const KEYRING = `
const { readFileSync, writeFileSync } = require('node:fs');
const path = process.env.HOME + '/keyring.json';
const all = () => { try { return JSON.parse(readFileSync(path, 'utf8')); } catch { return {}; } };
exports.Entry = class {
  constructor(service, account, { linux }) {
    if (process.env.KEYRING_LOCKED || linux.store !== 'secret-service') throw new Error('locked');
    this.name = service + ' ' + account;
  }
  getPassword() { return all()[this.name] ?? null; }
  setPassword(secret) { writeFileSync(path, JSON.stringify({ ...all(), [this.name]: secret })); }
  deletePassword() { const { [this.name]: gone, ...rest } = all(); writeFileSync(path, JSON.stringify(rest)); return gone !== undefined; }
};`;

test('the sign-in is kept in the keyring where there is one, and nowhere else', async () => {
  const modules = await mkdtemp(join(tmpdir(), 'satchel-modules-'));
  const machine = await newMachine({ NODE_PATH: modules });
  const library = join(modules, '@napi-rs/keyring');
  await mkdir(library, { recursive: true });
  await writeFile(join(library, 'index.js'), KEYRING);
  await signInMachine(site, machine, 'jonas');
  const rows = JSON.parse(await readFile(join(machine.config, 'sign-ins.json'), 'utf8'));
  expect(rows).toMatchObject([{ origin: site.url, token: null }]);
  const kept = () => readFile(join(machine.folder, 'keyring.json'), 'utf8');
  expect(Object.values(JSON.parse(await kept()))).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  expect(await machine.run(['whoami'])).toMatchObject({ code: 0 });
  const locked = await machine.run(['whoami'], { env: { KEYRING_LOCKED: '1' } });
  expect(locked).toMatchObject({ code: 2, err: expect.stringContaining('satchel login') });
  expect(await machine.run(['logout'])).toMatchObject({ code: 0 });
  expect(await kept()).toBe('{}');
  await machine.remove();
  await rm(modules, { recursive: true });
});
