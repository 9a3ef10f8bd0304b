import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';

/**
 * The shell holds a pipe to the launcher. When the pipe closes, however the launcher ended, the program gets SIGINT: to
 * PostgreSQL a fast shutdown. The shell itself survives a signal to the whole group, so that the launcher decides when.
 */
const WATCH = `
exec 3<&0 </dev/null
trap : TERM INT HUP
"$@" 3<&- &
program=$!
(read -r line <&3; kill -INT $program) 2>/dev/null &
watcher=$!
exec 3<&-
while kill -0 $program 2>/dev/null; do wait $program; code=$?; done
kill $watcher 2>/dev/null
exit $code`;

/**
 * Starts a program that ends when this process does.
 * @param {string[]} command
 * @param {{ cwd: string, log: string }} options the log gets the program's output, also after this process has ended
 * @returns {{ exited: Promise<{ code: number }>, isRunning: () => boolean, end: () => void }}
 */
export function startWatched(command, { cwd, log }) {
  const isWindows = process.platform === 'win32';
  const [program, ...args] = isWindows ? command : ['/bin/sh', '-c', WATCH, 'sh', ...command];
  const descriptor = openSync(log, 'a', 0o600);
  const child = spawn(program, args, {
    cwd,
    // Nothing of the launcher's environment: libpq and PostgreSQL read settings from it.
    env: { PATH: process.env.PATH, SystemRoot: process.env.SystemRoot, LC_ALL: 'C', TZ: 'UTC' },
    // A session of its own keeps Ctrl-C in a terminal away; on Windows only a child in the launcher's own ends with it.
    detached: !isWindows,
    stdio: ['pipe', descriptor, descriptor],
  });
  closeSync(descriptor);
  let isRunning = true;
  const exited = new Promise((resolve) => {
    const end = (code) => {
      isRunning = false;
      resolve({ code });
    };
    child.on('error', () => end(127));
    child.on('exit', (code, signal) => end(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
  child.stdin.on('error', () => {});
  return { exited, isRunning: () => isRunning, end: () => child.stdin.destroy() };
}
