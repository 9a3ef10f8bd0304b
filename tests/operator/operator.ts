import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from './debian-machine.ts';
import { type Changes, type FencedBlock, readFencedBlocks, takeBlock } from './fenced-blocks.ts';
import type { Maintainer } from './maintainer.ts';
import type { Releases } from './releases.ts';

/** What an operator has at hand: the pages, a shell on the machine, and people who use the site. */
export interface Operator {
  readonly releases: Releases;
  readonly maintainer: Maintainer;
  readonly paste: Machine['paste'];
  /** Pastes the block of docs/deploy.md that has this text, in /root. @returns its output */
  follow(has: string, changes?: Changes): Promise<string>;
  /** Reads and writes files of the machine. */
  read(path: string): string;
  write(path: string, text: string): void;
  /** Waits until the site says that it is ready. */
  untilReady(): Promise<void>;
  /** Where people keep what they know, on this machine. */
  readonly visitorsFolder: string;
  /** Has people do something (visitors.ts), and waits for it. @throws when it fails */
  visitors(act: string): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../..');

export const readPage = (page: string): FencedBlock[] =>
  readFencedBlocks(readFileSync(join(ROOT, 'docs', page), 'utf8'));
export const DEPLOY = readPage('deploy.md');

export const say = (text: string): void => void process.stdout.write(`── ${text.trim()}\n`);

export function createOperator(
  machine: Machine,
  releases: Releases,
  maintainer: Maintainer,
  visitorsFolder: string,
): Operator {
  const { root, paste } = machine;
  return {
    releases,
    maintainer,
    paste,
    visitorsFolder,
    follow(has, changes = []) {
      const text = takeBlock(DEPLOY, has, changes);
      say(`pastes\n${text.replace(/^/gm, '   │ ')}`);
      return paste(`cd /root\n${text}`);
    },
    read: (path) => readFileSync(join(root, path), 'utf8').trimEnd(),
    write(path, text) {
      say(`writes ${path}`);
      writeFileSync(join(root, path), `${text}\n`);
    },
    async untilReady() {
      const tries = '--retry 60 --retry-delay 1 --retry-all-errors';
      await paste(`curl -fs ${tries} -o /dev/null http://127.0.0.1:3000/readyz`);
    },
    async visitors(act) {
      const script = join(import.meta.dirname, 'visitors.ts');
      const [program, ...args] = machine.inItsNetwork([process.execPath, script, act, visitorsFolder]);
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(visitorsFolder, 'cert.pem') };
      const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error(`The visitors ended with ${code} (${act})`);
    },
  };
}
