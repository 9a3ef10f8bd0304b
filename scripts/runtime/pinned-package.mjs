// Runs on Node 20: only what that knows, and no import that needs node_modules.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './npm.mjs';
import { StartError } from './start-error.mjs';

/**
 * Fetches one package of npm's registry that is not in package-lock.json, because every platform has another one: in the
 * exact version and with the SHA-512 of a file of pins. npm checks the hash before it unpacks anything, and runs no script.
 */

/** The C library of Alpine and others, on which the packages' binaries don't run. */
export const isMusl = () =>
  process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;

/** This machine, as the pins name it. */
export const thisMachine = () => ({ platform: process.platform, arch: process.arch, musl: isMusl() });

export const describeMachine = ({ platform, arch, musl }) => `${platform}-${arch}${musl ? ' with musl' : ''}`;

/** @returns {{ name: string, version: string, integrity: string } | undefined} the machine's row of a file of pins */
export const findPin = (pins, { platform, arch, musl }) => (musl ? undefined : pins[`${platform}-${arch}`]);

/** Where a package lies below the folder that it is installed to: one name for every platform. */
export const packageFolder = (folder, alias) => join(folder, 'node_modules', alias);

/** Whether exactly this pin's package was fetched into the folder, and passed its check. */
export function isInstalled({ folder, alias, pin }) {
  const stamp = join(folder, 'node_modules', `.satchel-${alias}`);
  const isThere = existsSync(packageFolder(folder, alias)) && existsSync(stamp);
  return isThere && readFileSync(stamp, 'utf8') === stampOf(pin);
}

const stampOf = ({ name, version, integrity }) => `${name}@${version} ${integrity}\n`;

/**
 * @param {object} options
 * @param {string} options.folder holds this package alone
 * @param {string} options.alias the package's name in that folder
 * @param {{ name: string, version: string, integrity: string }} options.pin
 * @param {string} options.pinsFile what an error names
 * @param {(packageFolder: string) => boolean} options.isUsable prepares the unpacked package, and tries it
 * @param {string} options.advice what to do when the package can't be fetched
 * @param {(pid: number) => void} [options.onStart]
 * @throws StartError; the folder is then as it was
 */
export async function installPackage({ folder, alias, pin, pinsFile, isUsable, advice, onStart }) {
  const staging = join(folder, 'staging');
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  try {
    const { code, output } = await fetchInto(staging, { alias, pin, onStart });
    const { name, version } = pin;
    if (output.includes('EINTEGRITY')) {
      const what = `what the registry has as ${name} ${version} is not what ${pinsFile} names`;
      throw new StartError(`${what}. It was not unpacked.`, output);
    }
    if (code !== 0 || !isUsable(packageFolder(staging, alias))) {
      throw new StartError(`could not fetch ${name} ${version}. ${advice}`, output);
    }
    writeFileSync(join(staging, 'node_modules', `.satchel-${alias}`), stampOf(pin));
    putInPlace(staging, folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function fetchInto(staging, { alias, pin: { name, version, integrity }, onStart }) {
  // The lockfile names no registry: the machine's is asked.
  const dependencies = { [alias]: `npm:${name}@${version}` };
  const packages = { '': { dependencies }, [`node_modules/${alias}`]: { name, version, integrity } };
  writeFileSync(join(staging, 'package.json'), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(staging, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }));
  return runNpm(['ci', '--ignore-scripts', '--package-lock'], { cwd: staging, onStart });
}

/** Whole, stamp and all: an interrupted fetch leaves nothing that looks finished. */
function putInPlace(staging, folder) {
  const old = join(folder, 'old');
  rmSync(old, { recursive: true, force: true });
  // Renamed, not deleted: what was there before may be running.
  if (existsSync(join(folder, 'node_modules'))) renameSync(join(folder, 'node_modules'), old);
  renameSync(join(staging, 'node_modules'), join(folder, 'node_modules'));
  rmSync(old, { recursive: true, force: true });
}
