// Usage: node scripts/memory.mjs [pid]. What each process of a running `npm start` (or of the pid and all below it) takes:
// PSS, in which a page that several share counts for each by its part, so that the sum is what the machine gives.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { fail, ROOT } from './runtime/paths.mjs';

const MIB = 1024 * 1024;

/** The role of a command line: the first pattern that matches. */
const ROLES = [
  ['server', /apps\/server\/(dist\/main\.js|src\/main\.ts)/],
  ['sandbox', /packages\/discord-sandbox\/src\/main\.ts/],
  ['page (Vite)', /vite\.js/],
  ['launcher', /scripts\/launch\.mjs/],
  ['PostgreSQL', /^postgres:|\/postgres\0-D\0/],
  ['npm', /^npm |npm-cli\.js/],
];

/** @returns {{ pid: number, parent: number, command: string }[]} */
function listProcesses() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const status = readOrNothing(`/proc/${name}/status`);
      const command = readOrNothing(`/proc/${name}/cmdline`);
      const parent = Number(/^PPid:\t(\d+)/m.exec(status)?.[1]);
      return command ? [{ pid: Number(name), parent, command }] : [];
    });
}

function readOrNothing(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * @param {number} root
 * @returns {{ pid: number, role: string, bytes: number }[]} the process and all below it
 */
export function measureTree(root) {
  const processes = listProcesses();
  const tree = processes.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...processes.filter(({ parent }) => parent === pid));
  return tree.map(({ pid, command }) => ({ pid, role: roleOf(command), bytes: pssOf(pid) }));
}

const roleOf = (command) => ROLES.find(([, pattern]) => pattern.test(command))?.[0] ?? 'other';

function pssOf(pid) {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(readOrNothing(`/proc/${pid}/smaps_rollup`))?.[1];
  return Number(kib ?? 0) * 1024;
}

/** The outermost launcher of this checkout, or the npm that runs it. */
function findStart() {
  const isHere = ({ pid, command }) => roleOf(command) === 'launcher' && folderOf(pid) === ROOT;
  const processes = listProcesses();
  const launchers = processes.filter(isHere);
  const outermost = launchers.find(({ parent }) => !launchers.some(({ pid }) => pid === parent));
  const parent = processes.find(({ pid }) => pid === outermost?.parent);
  return parent && roleOf(parent.command) === 'npm' ? parent.pid : outermost?.pid;
}

function folderOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.platform !== 'linux') fail('memory is read from /proc, which only Linux has.');
  const root = Number(process.argv[2]) || findStart();
  if (!root) fail('there is no start of this checkout; name a process: node scripts/memory.mjs <pid>');
  const tree = measureTree(root);
  const line = (bytes, text) => process.stdout.write(`${(bytes / MIB).toFixed(1).padStart(7)} MiB  ${text}\n`);
  const roles = new Map();
  for (const { role, pid, bytes } of tree) {
    const { sum = 0, pids = [] } = roles.get(role) ?? {};
    roles.set(role, { sum: sum + bytes, pids: [...pids, pid] });
  }
  for (const [role, { sum, pids }] of roles) line(sum, `${role} (${pids.join(', ')})`);
  line(
    tree.reduce((sum, { bytes }) => sum + bytes, 0),
    `all ${tree.length} processes`,
  );
}
