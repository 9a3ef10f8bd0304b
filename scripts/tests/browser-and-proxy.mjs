import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ROOT, say } from './paths.mjs';
import { aptInstall, findProgram, isDebian, isExecutable, isRoot, runs } from './programs.mjs';

const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const CHROMIUM_PLACES = [
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const fromTests = createRequire(join(ROOT, 'tests/package.json'));

/** Finds a Chromium, or installs one and says so. @returns its path, or undefined after saying why there is none */
export function ensureChromium() {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (isExecutable(given)) return given;
    say(`CHROMIUM_PATH is ${given}, but nothing can be run there.`);
    return undefined;
  }
  const found = findChromium();
  if (found) {
    say(`browser: ${found}`);
    return found;
  }
  say('there is no Chromium here; installing one (CHROMIUM_PATH would name another) …');
  for (const install of isDebian() ? [installPackage, installPlaywrights] : [installPlaywrights, installPackage]) {
    const path = install() && findChromium();
    if (path) {
      say(`browser: installed ${path}`);
      return path;
    }
  }
  say('no Chromium could be installed: install one yourself, or set CHROMIUM_PATH.');
  return undefined;
}

function findChromium() {
  const { chromium } = fromTests('playwright-core');
  const onPath = CHROMIUM_NAMES.map((name) => findProgram([name])).filter(Boolean);
  const candidates = [...onPath, ...CHROMIUM_PLACES, chromium.executablePath()];
  return candidates.find((path) => path && isExecutable(path) && runs(path));
}

const installPackage = () => aptInstall('chromium');

function installPlaywrights() {
  const cli = join(dirname(fromTests.resolve('playwright-core/package.json')), 'cli.js');
  const args = [cli, 'install', ...(isRoot() ? ['--with-deps'] : []), 'chromium'];
  return spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

/** Finds nginx, or installs it where that takes no password. @returns its path, or undefined after saying so */
export function ensureNginx() {
  const given = process.env.NGINX_PATH;
  const found = given || findNginx();
  if (found) {
    say(`TLS proxy: ${found}`);
    return found;
  }
  if (isRoot() && isDebian()) {
    say('there is no nginx here; installing it for the run behind TLS …');
    const installed = aptInstall('nginx') && findNginx();
    if (installed) return installed;
  }
  say('TLS proxy: there is no nginx here, so the run behind TLS is left out (NGINX_PATH would name one).');
  return undefined;
}

const findNginx = () => findProgram(['nginx'], ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']);
