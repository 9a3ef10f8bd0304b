import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const POLICY = '/usr/sbin/policy-rc.d';
let listsAreFresh = false;

/** @returns {string | undefined} the first of `names` on PATH or in `folders` */
export function findProgram(names, folders = []) {
  const places = [...(process.env.PATH ?? '').split(delimiter), ...folders].filter(Boolean);
  for (const name of names) {
    for (const place of places) {
      if (isExecutable(join(place, name))) return join(place, name);
    }
  }
  return undefined;
}

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether it starts at all: Ubuntu's chromium-browser is a stub that only says to install a snap. */
export function runs(path, args = ['--version']) {
  return spawnSync(path, args, { stdio: 'ignore', timeout: 30_000 }).status === 0;
}

export const isRoot = () => process.getuid?.() === 0;

export function isDebian() {
  return existsSync('/etc/os-release') && /^ID=["']?debian/m.test(readFileSync('/etc/os-release', 'utf8'));
}

/** Installs a Debian package without starting a service that comes with it. @returns whether that worked */
export function aptInstall(name) {
  if (!isRoot() || !findProgram(['apt-get'])) return false;
  const isOurPolicy = !existsSync(POLICY);
  try {
    // 101 is "not allowed": nginx would otherwise take port 80 of this machine the moment it is unpacked.
    if (isOurPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
    const options = {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    };
    if (!listsAreFresh) spawnSync('apt-get', ['update', '-qq'], options);
    listsAreFresh = true;
    return spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], options).status === 0;
  } finally {
    if (isOurPolicy) rmSync(POLICY, { force: true });
  }
}
