import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEVICE_PATHS } from '@satchel/contract/device-code';
import { until } from '@satchel/contract/testing/pace';
import { type Person, type SignInTarget, signIn } from './people.ts';

/** The built command line, run as its own process in its own home. */

const SATCHEL = join(import.meta.dirname, '../../apps/cli/dist/satchel.mjs');

export interface CommandOutcome {
  /** Null for one that was killed. */
  readonly code: number | null;
  readonly out: Buffer;
  readonly err: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandOutcome>;
  /** What it has said so far. */
  said(): string;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Nothing where left out. */
  readonly stdin?: string | Uint8Array;
}

/** A person's machine: a home with nothing in it. */
export interface Machine {
  /** Of this machine, for files. */
  readonly folder: string;
  readonly config: string;
  start(args: readonly string[], options?: CommandOptions): Started;
  run(args: readonly string[], options?: CommandOptions): Promise<CommandOutcome>;
  remove(): Promise<void>;
}

/** @param machineEnv what each command on it finds in its environment, too */
export async function newMachine(machineEnv: Readonly<Record<string, string>> = {}): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), 'satchel-machine-'));
  const config = join(folder, '.config', 'satchel');
  const start: Machine['start'] = (args, { env = {}, cwd = folder, stdin = '' } = {}) => {
    const child = spawn(process.execPath, [SATCHEL, ...args], {
      cwd,
      env: { PATH: process.env.PATH ?? '', HOME: folder, ...machineEnv, ...env },
    });
    const out: Buffer[] = [];
    let err = '';
    child.stdout.on('data', (part: Buffer) => out.push(part));
    child.stderr.on('data', (part: Buffer) => {
      err += part;
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    const ended = once(child, 'close').then(([code]) => ({ code, out: Buffer.concat(out), err }));
    return { child, ended, said: () => err };
  };
  return {
    folder,
    config,
    start,
    run: (args, options) => start(args, options).ended,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Signs a machine in as a persona, who types the code into their browser. */
export async function signInMachine(site: SignInTarget, machine: Machine, persona: string): Promise<Person> {
  const person = await signIn(site, persona);
  const login = machine.start(['login', site.url]);
  const codeIn = () => /code: ([A-Z]{4}-[A-Z]{4})/.exec(login.said())?.[1];
  await until(
    async () => codeIn() !== undefined,
    () => `no code: ${login.said()}`,
  );
  const found = await person.call('POST', DEVICE_PATHS.find, { user_code: codeIn() });
  const { id } = (await found.json()) as { id: string };
  await person.call('POST', DEVICE_PATHS.decide, { id, is_allowed: true });
  const { code, err } = await login.ended;
  if (code !== 0) throw new Error(`the machine is not signed in: ${err}`);
  return person;
}
