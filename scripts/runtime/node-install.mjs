// Runs on Node 20: only what that knows, and no import that needs node_modules.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describeMachine, findPin, installPackage, isInstalled, packageFolder } from './pinned-package.mjs';
import { StartError } from './start-error.mjs';

/** Node as a package of npm's registry: the platform's own one, which has the binary in it (scripts/node-pins.json). */

const ALIAS = 'node';
const BINARY = join('bin', process.platform === 'win32' ? 'node.exe' : 'node');

/** Below the folder that a Node is installed to; the same on every platform. */
export const NODE_BIN = join(packageFolder('', ALIAS), BINARY);

/**
 * @param {object} pins scripts/node-pins.json
 * @param {{ platform: string, arch: string, musl: boolean }} machine
 * @throws StartError when there is none for this machine
 */
export function nodePinFor(pins, machine) {
  const pin = findPin(pins, machine);
  if (pin) return pin;
  throw new StartError(
    `there is no Node to fetch for ${describeMachine(machine)}; install Node 22.19 or newer yourself.`,
  );
}

/** Whether exactly this pin's Node was fetched into the folder, and ran once. */
export const isNodeInstalled = (folder, pin) => isInstalled({ folder, alias: ALIAS, pin });

/** @throws StartError; the folder is then as it was */
export function installNode({ folder, pin, onStart }) {
  return installPackage({
    folder,
    alias: ALIAS,
    pin,
    pinsFile: 'scripts/node-pins.json',
    isUsable: (unpacked) => versionOf(join(unpacked, BINARY)) === `v${pin.version}`,
    advice: 'Check the network, or install Node 22.19 or newer yourself.',
    onStart,
  });
}

function versionOf(binary) {
  try {
    return execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
