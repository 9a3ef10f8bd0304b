import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ROOT, say } from '../runtime/paths.mjs';
import { aptInstall, findProgram, isDebian, isExecutable, isRoot, runs } from '../runtime/programs.mjs';

const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const CHROMIUM_PLACES = [
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
/** Chromium without the parts that open windows. */
const SHELL_NAMES = ['chromium-headless-shell', 'chrome-headless-shell'];
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

/**
 * Finds a headless shell, which takes two thirds of Chromium's time, or installs it where that takes no password.
 * @returns its path, or undefined where Chromium itself does the work: CHROMIUM_PATH names it, or there is no shell
 */
export function ensureHeadlessShell() {
  const given = process.env.HEADLESS_SHELL_PATH;
  if (given || process.env.CHROMIUM_PATH) return given;
  const isHere = findHeadlessShell();
  const found = isHere ?? (isDebian() && aptInstall('chromium-headless-shell') ? findHeadlessShell() : undefined);
  say(
    `headless shell: ${found ?? 'there is none here, so the tests take longer (HEADLESS_SHELL_PATH would name one)'}`,
  );
  return found;
}

function findHeadlessShell() {
  const onPath = SHELL_NAMES.map((name) => findProgram([name])).filter(Boolean);
  // Playwright installs the shell beside its Chromium, and reports only Chromium's path.
  const browsers = join(fromTests('playwright-core').chromium.executablePath(), '../../..');
  const playwrights = globSync('chromium_headless_shell-*/*/*headless*shell', { cwd: browsers });
  const candidates = [...onPath, ...playwrights.map((path) => join(browsers, path))];
  return candidates.find((path) => isExecutable(path) && runs(path));
}

function installPlaywrights() {
  const cli = join(dirname(fromTests.resolve('playwright-core/package.json')), 'cli.js');
  const args = [cli, 'install', ...(isRoot() ? ['--with-deps'] : []), 'chromium'];
  return spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

const findFirefox = () =>
  process.env.FIREFOX_PATH || findProgram(['firefox-esr', 'firefox'], ['/Applications/Firefox.app/Contents/MacOS']);

/** Finds Firefox, or installs it where that takes no password. @returns its path, or undefined after saying so */
export const ensureFirefox = () => ensureOf('Firefox', findFirefox, ['firefox-esr']);

function findWebkit() {
  const driver = findProgram(['WebKitWebDriver']);
  const gjs = findProgram(['gjs']);
  const [bindings] = globSync('/usr/lib/*/girepository-1.0/WebKit2-4.1.typelib');
  const display = findProgram(['Xvfb']);
  return driver && gjs && bindings && display ? { driver, gjs, display } : undefined;
}

/**
 * Finds a WebKit that WebDriver drives, with the codecs of films and a display in memory, or installs them where that takes no
 * password.
 * @returns {{ driver: string, gjs: string, display: string } | undefined} undefined after saying so
 */
export const ensureWebkit = () =>
  ensureOf('WebKit', findWebkit, [
    'webkit2gtk-driver',
    'gjs',
    'gir1.2-webkit2-4.1',
    'gstreamer1.0-libav',
    'gstreamer1.0-plugins-good',
    'xvfb',
  ]);

/** The engines that are there before anything is installed, by TEST_ENGINES or by looking. Chromium is always found or installed. */
export const findEngines = () =>
  process.env.TEST_ENGINES?.split(' ') ?? [
    'chromium',
    ...(findFirefox() ? ['firefox'] : []),
    ...(findWebkit() ? ['webkit'] : []),
  ];

function ensureOf(what, find, packages) {
  const found = find();
  if (found || !isRoot() || !isDebian()) {
    say(`${what}: ${found ? 'is here' : 'there is none here'}`);
    return found;
  }
  say(`there is no ${what} here; installing it …`);
  return packages.every((name) => aptInstall(name)) ? find() : undefined;
}

/** Finds nginx, or installs it where that takes no password. @returns its path, or undefined after saying so */
export const ensureNginx = () =>
  ensureProxy({ what: 'TLS proxy', name: 'nginx', given: 'NGINX_PATH', run: 'the run behind TLS' });

/** Finds pgbouncer, or installs it where that takes no password. @returns its path, or undefined after saying so */
export const ensurePgbouncer = () =>
  ensureProxy({ what: 'pooler', name: 'pgbouncer', given: 'PGBOUNCER_PATH', run: 'the run behind a pooler' });

function ensureProxy({ what, name, given, run }) {
  const find = () => findProgram([name], ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']);
  const found = process.env[given] || find();
  if (found) {
    say(`${what}: ${found}`);
    return found;
  }
  if (isRoot() && isDebian()) {
    say(`there is no ${name} here; installing it for ${run} …`);
    const installed = aptInstall(name) && find();
    if (installed) return installed;
  }
  say(`${what}: there is no ${name} here, so ${run} is left out (${given} would name one).`);
  return undefined;
}
