import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/**
 * One process per data directory: two on one embedded database silently lose rows (DESIGN §2), and two that write one
 * blob would write over each other.
 *
 * Every process that wants the directory puts a claim of its own name into `{dir}/lock`, and only then looks who else
 * has one. Of two that start together at least one sees the other and withdraws. Claims are never taken over or renamed,
 * so a stale one (kill -9, power cut) is simply removed: its name never comes back.
 */

const Claim = z.object({ pid: z.number(), started: z.string(), machine: z.string() });
type Claim = z.infer<typeof Claim>;

const HEARTBEAT_MS = 3000;
const ATTEMPTS = 4;

export class LockError extends Error {
  override readonly name = 'LockError';
}

export interface Lock {
  release(): void;
}

const attempt = <T>(read: () => T): T | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

/** When a process began, as its system tells it, so that a process that got the same id later is told apart. */
function startOf(pid: number): string | null {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name in parentheses and may hold anything; the start is the 22nd.
  if (stat) return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  if (process.platform === 'linux') return null;
  if (attempt(() => process.kill(pid, 0)) === null) return null;
  return attempt(() => execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()) ?? '';
}

/** Names what a process id means something in: this boot of this machine, and this container. */
function machine(): string {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return `${boot ?? ''} ${namespace ?? ''}`;
}

const readClaim = (path: string): Claim | null => attempt(() => Claim.parse(JSON.parse(readFileSync(path, 'utf8'))));

const touched = (path: string): number | null => attempt(() => statSync(path).mtimeMs);

/** Whether the process that made a claim is still there. */
async function isAlive(path: string, claim: Claim, heartbeatMs: number): Promise<boolean> {
  if (claim.machine === machine()) return startOf(claim.pid) === claim.started;
  // Of another container, whose processes are not to be seen from here: does its heart beat?
  const before = touched(path);
  await sleep(heartbeatMs * 3);
  const after = touched(path);
  return after !== null && after !== before;
}

async function otherHolder(dir: string, own: string, heartbeatMs: number): Promise<Claim | null> {
  for (const name of readdirSync(dir)) {
    const path = join(dir, name);
    if (path === own || !name.endsWith('.json')) continue;
    // Read once: one that is withdrawn meanwhile must not stand for nobody at all, with others yet to be looked at.
    const claim = readClaim(path);
    if (claim && (await isAlive(path, claim, heartbeatMs))) return claim;
    attempt(() => unlinkSync(path));
  }
  return null;
}

function putClaim(dir: string): string {
  const path = join(dir, `${randomUUID()}.json`);
  const claim: Claim = { pid: process.pid, started: startOf(process.pid) ?? '', machine: machine() };
  // Whole from its first moment on: nobody may take a half-written claim for a stale one.
  writeFileSync(`${path}.new`, JSON.stringify(claim), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return path;
}

function hold(path: string, heartbeatMs: number): Lock {
  const beat = setInterval(() => attempt(() => utimesSync(path, new Date(), new Date())), heartbeatMs);
  beat.unref();
  return {
    release() {
      clearInterval(beat);
      attempt(() => unlinkSync(path));
    },
  };
}

/**
 * Claims a data directory for this process.
 * @param dataDir made when missing
 * @throws LockError naming the process that has it
 */
export async function lockDirectory(dataDir: string, heartbeatMs = HEARTBEAT_MS): Promise<Lock> {
  const dir = join(dataDir, 'lock');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (let tries = 1; ; tries += 1) {
    const own = putClaim(dir);
    const holder = await otherHolder(dir, own, heartbeatMs);
    if (!holder) return hold(own, heartbeatMs);
    unlinkSync(own);
    if (tries === ATTEMPTS) {
      throw new LockError(`another Satchel (process ${holder.pid}) is using ${dataDir}; stop it or set DATA_DIR`);
    }
    // Two that started together may both have withdrawn; chance lets one of them go first.
    await sleep(50 + Math.random() * 150);
  }
}
