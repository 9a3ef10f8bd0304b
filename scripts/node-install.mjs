// Runs on Node 20: only what that knows, and no import that needs node_modules.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './npm.mjs';

/**
 * Fetches Node as a package of npm's registry: the platform's own one, which has the binary in it and no install script, in
 * the exact version and with the SHA-512 of scripts/node-pins.json. npm checks the hash before it unpacks anything.
 */

/** Below the folder that a Node is installed to; the same on every platform. */
export const NODE_BIN = join('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const STAMP = join('node_modules', '.satchel-node');

export class NodeInstallError extends Error {
  name = 'NodeInstallError';
  /** What npm said. */
  output;
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

/** The C library of Alpine and others, on which the packages' binaries don't run. */
export const isMusl = () =>
  process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;

/**
 * @param {object} pins scripts/node-pins.json
 * @param {{ platform: string, arch: string, musl: boolean }} machine
 * @throws NodeInstallError when there is none for this machine
 */
export function pinFor(pins, { platform, arch, musl }) {
  const pin = musl ? undefined : pins[`${platform}-${arch}`];
  if (pin) return pin;
  const machine = `${platform}-${arch}${musl ? ' with musl' : ''}`;
  throw new NodeInstallError(`there is no Node to fetch for ${machine}; install Node 22.19 or newer yourself.`);
}

/** Whether exactly this pin's Node was fetched into the folder, and ran once. */
export function isInstalled(folder, pin) {
  const stamp = join(folder, STAMP);
  return existsSync(join(folder, NODE_BIN)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === stampOf(pin);
}

const stampOf = ({ name, version, integrity }) => `${name}@${version} ${integrity}\n`;

/**
 * @param {{ folder: string, pin: { name: string, version: string, integrity: string }, onStart?: (pid: number) => void }} options
 * @throws NodeInstallError; the folder is then as it was
 */
export async function installNode({ folder, pin, onStart }) {
  const staging = join(folder, 'staging');
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  try {
    await fetchInto(staging, pin, onStart);
    writeFileSync(join(staging, STAMP), stampOf(pin));
    putInPlace(staging, folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function fetchInto(staging, { name, version, integrity }, onStart) {
  // Under one name for every platform, so that the binary has one path. The lockfile names no registry: the machine's is asked.
  const dependencies = { node: `npm:${name}@${version}` };
  const packages = { '': { dependencies }, 'node_modules/node': { name, version, integrity } };
  writeFileSync(join(staging, 'package.json'), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(staging, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }));
  const { code, output } = await runNpm(['ci', '--ignore-scripts', '--package-lock'], { cwd: staging, onStart });
  if (output.includes('EINTEGRITY')) {
    const what = `what the registry has as ${name} ${version} is not what scripts/node-pins.json names`;
    throw new NodeInstallError(`${what}. It was not unpacked.`, output);
  }
  if (code !== 0 || versionOf(join(staging, NODE_BIN)) !== `v${version}`) {
    const advice = 'Check the network, or install Node 22.19 or newer yourself.';
    throw new NodeInstallError(`could not fetch Node ${version}. ${advice}`, output);
  }
}

function versionOf(binary) {
  try {
    return execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Whole, stamp and all: an interrupted fetch leaves nothing that looks finished. */
function putInPlace(staging, folder) {
  const old = join(folder, 'old');
  rmSync(old, { recursive: true, force: true });
  // Aside and not away: a Node of before may be running.
  if (existsSync(join(folder, 'node_modules'))) renameSync(join(folder, 'node_modules'), old);
  renameSync(join(staging, 'node_modules'), join(folder, 'node_modules'));
  rmSync(old, { recursive: true, force: true });
}
