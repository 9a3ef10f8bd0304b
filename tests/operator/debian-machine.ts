import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A bare Debian as a machine of its own: a folder with its files, namespaces for its processes, mounts and network, and its
 * own systemd as the first process. Nothing leads out of its network. Processes, mounts and network end with that process.
 */
export interface Machine {
  /** Its files, as this machine sees them. */
  readonly root: string;
  /** Runs lines in a shell of root's, as one pastes them. @throws with the output at the first line that fails */
  paste(lines: string, input?: string): Promise<string>;
  /** A command of this machine's programs in the network of that one, and by its names of hosts. */
  inItsNetwork(command: readonly string[]): [program: string, ...args: string[]];
  end(): Promise<void>;
}

const SUITE = 'bookworm';
/** What an installed Debian has, and debootstrap's smallest one lacks. */
const USUAL = 'systemd,systemd-sysv,dbus,sudo,ca-certificates,curl,openssl,openssh-client,iproute2';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const BOOT_TIMEOUT_MS = 120_000;

/** Enters a cgroup of its own, then namespaces: $0 is the folder, $1 the cgroup's name. */
const ENTER = `
set -e
control=$(mktemp -d)
mount -t cgroup2 cgroup2 "$control"
mkdir "$control/$1"
echo $$ > "$control/$1/cgroup.procs"
umount "$control"
rmdir "$control"
exec unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child /bin/sh -c "$2" "$0"
`;

/** The kernel's file systems, harmless devices, a network without a way out; then systemd. $0 is the folder. */
const BOOT = `
set -e
mount --make-rprivate /
mount --bind "$0" "$0"
cd "$0"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755,nosuid tmpfs dev
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/console c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
ip link set lo up
# Browsers take a machine with nothing but a loopback for one without a line.
ip link add line type veth peer name far
ip address add 10.88.0.2/24 dev line
ip link set line up
ip link set far up
mkdir -p mnt/outside
pivot_root . mnt/outside
cd /
umount -l /mnt/outside
rmdir /mnt/outside
# In a container systemd leaves this to who made it, and hands credentials over by mounts that spread.
mount --make-rshared /
exec env -i container=trial PATH=${PATH} /lib/systemd/systemd --unit=multi-user.target
`;

/** Makes a bare Debian, or says where the one of an earlier trial is. */
export function bareDebian(work: string): string {
  const base = join(work, 'base');
  if (existsSync(join(base, 'usr/bin/apt-get')) && existsSync(join(base, 'lib/systemd/systemd'))) return base;
  const include = `--include=${USUAL}`;
  execFileSync('debootstrap', ['--variant=minbase', include, SUITE, base], { stdio: ['ignore', 'inherit', 'inherit'] });
  return base;
}

/** Copies a bare Debian. Its `apt-get` reaches the mirror as long as it has not started. */
export function copyDebian(base: string, root: string, hosts: readonly string[]): void {
  mkdirSync(root, { recursive: true });
  execFileSync('cp', ['-a', '--reflink=auto', `${base}/.`, root]);
  writeFileSync(join(root, 'etc/hosts'), `127.0.0.1 localhost trial ${hosts.join(' ')}\n::1 localhost\n`);
  writeFileSync(join(root, 'etc/hostname'), 'trial\n');
  execFileSync('cp', ['--dereference', '/etc/resolv.conf', join(root, 'etc/resolv.conf')]);
}

/** Runs lines in the folder before it is a machine, with this machine's network: to install packages. */
export function pasteBefore(root: string, lines: string): void {
  // Nothing is started there: as in any chroot, by Debian's own rule.
  writeFileSync(join(root, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const mounts = 'mount --make-rprivate / && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev"';
  const enter = `${mounts} && exec chroot "$0" /usr/bin/env -i HOME=/root PATH=${PATH} DEBIAN_FRONTEND=noninteractive /bin/bash -e -c "$1"`;
  execFileSync('unshare', ['--mount', '/bin/sh', '-c', enter, root, lines], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  execFileSync('rm', [join(root, 'usr/sbin/policy-rc.d')]);
}

export async function startMachine(root: string): Promise<Machine> {
  const cgroup = `satchel-trial-${process.pid}`;
  const holder = spawn('unshare', ['--mount', '/bin/sh', '-c', ENTER, root, cgroup, BOOT], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  holder.stderr.on('data', (chunk) => (complaints += chunk));
  const ended = once(holder, 'exit');
  const isOver = () => holder.exitCode !== null || holder.signalCode !== null;
  const init = () => Number(readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8').split(' ')[0]);
  const namespaces = () => ['--target', String(init()), '--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup'];

  async function paste(lines: string, input = ''): Promise<string> {
    const shell = ['/usr/bin/env', '-i', 'HOME=/root', `PATH=${PATH}`, 'LANG=C.UTF-8', '/bin/bash', '-e', '-c', lines];
    const child = spawn('nsenter', [...namespaces(), '--', ...shell], { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`ended with ${code}:\n${lines}\n${output}`);
    return output;
  }

  async function end(): Promise<void> {
    if (!isOver()) {
      process.kill(init(), 'SIGKILL');
      await ended;
    }
    const drop = `control=$(mktemp -d) && mount -t cgroup2 cgroup2 "$control" && find "$control/${cgroup}" -depth -type d -exec rmdir {} +`;
    execFileSync('unshare', ['--mount', '/bin/sh', '-c', `${drop}; umount "$control"; rmdir "$control"`]);
  }

  const untilMs = performance.now() + BOOT_TIMEOUT_MS;
  for (;;) {
    if (isOver()) throw new Error(`the machine ended while it started: ${complaints}`);
    const state = await paste('systemctl is-system-running || true').catch(() => '');
    if (/running|degraded/.test(state)) break;
    if (performance.now() > untilMs) {
      await end();
      throw new Error(`the machine did not start: ${state}`);
    }
    await sleep(200);
  }
  return {
    root,
    paste,
    inItsNetwork: (command) => [
      ...(['nsenter', '--target', String(init()), '--net', 'unshare', '--mount'] as const),
      ...['/bin/sh', '-c', 'mount --make-rprivate / && mount --bind "$0/etc/hosts" /etc/hosts && exec "$@"', root],
      ...command,
    ],
    end,
  };
}
