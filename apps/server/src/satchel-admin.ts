import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { AppError } from '@satchel/contract/errors';
import { BackupError } from './admin/backup/format.ts';
import type { BlobReads } from './admin/check-blobs.ts';
import { type Command, parseCommandLine, UsageError } from './admin/command-line.ts';
import {
  backupCommand,
  deleteCommand,
  doctorCommand,
  exportCommand,
  fsckCommand,
  migrateCommand,
  type Outcome,
  pseudonymCommand,
  restoreCommand,
  settingsCommand,
  statusCommand,
  sweepCommand,
} from './admin/commands.ts';
import type { FolderFound } from './admin/delete-folder.ts';
import { registerByConfig } from './admin/register-command.ts';
import { CommandError } from './admin/site-access.ts';
import { makeWebcatManifest, publishWebcat } from './admin/webcat.ts';
import { RegistrationError } from './bot/register.ts';
import { ConfigError, loadCommandConfig, loadConfig, loadSettings } from './config.ts';
import { BlobStoreError } from './platform/blobs/blobs.ts';
import { diskWordsOf, NotWritableError } from './platform/site/own-folders.ts';
import { SiteLockError } from './platform/site/site-lock-keys.ts';

/**
 * The operator's commands, beside the server: `npm run admin -- COMMAND`. They do not listen. Two of them use more of the
 * network than the database and the store of files: `bot register` asks Discord, `doctor` Discord and PUBLIC_URL.
 */

const UNUSABLE = 2;
const FOUND = 1;

const readsOf = (switches: readonly string[]): BlobReads =>
  switches.includes('hash') ? 'hashes' : switches.includes('read') ? 'bytes' : 'nothing';

async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** @throws CommandError where there is no terminal to ask at */
async function ask({ slug, file_count, size_bytes }: FolderFound): Promise<boolean> {
  if (!process.stdin.isTTY) throw new CommandError('nothing is deleted: without a terminal to ask at, add --yes');
  const questions = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const what = `Delete ${slug} with ${file_count} files, ${size_bytes} bytes, for good? Type ${slug}: `;
    return (await questions.question(what)).trim() === slug;
  } finally {
    questions.close();
  }
}

type Named = Exclude<Command, { name: 'help' }>;

async function runFor({ name, switches, operands, isJson }: Named): Promise<Outcome> {
  const [operand = ''] = operands;
  switch (name) {
    case 'status':
      return statusCommand(loadCommandConfig(), switches.includes('stored'));
    case 'fsck':
      return fsckCommand(loadCommandConfig(), readsOf(switches));
    case 'backup':
      return backupCommand(loadCommandConfig(), operand, switches.includes('rows'));
    case 'restore':
      return restoreCommand(loadCommandConfig(), operand, (line) => process.stderr.write(`satchel: ${line}\n`));
    case 'migrate':
      return migrateCommand(loadCommandConfig());
    case 'sweep':
      return sweepCommand(loadCommandConfig());
    case 'delete': {
      const isSure = switches.includes('yes');
      if (isJson && !isSure) throw new UsageError('--json needs --yes; satchel-admin delete --help lists the options');
      return deleteCommand(loadCommandConfig(), operand, isSure ? async () => true : ask);
    }
    case 'doctor':
      return doctorCommand(loadConfig());
    case '--print-settings':
      return settingsCommand(loadSettings());
    case 'pseudonym':
      return pseudonymCommand(loadCommandConfig(), operand);
    case 'bot register': {
      const done = await registerByConfig(loadConfig());
      return { json: { done }, lines: [], notes: [done], isFinding: false };
    }
    case 'webcat publish': {
      const served = await publishWebcat(loadConfig(), operand);
      return {
        json: { served },
        lines: [],
        notes: [`served below /.well-known/webcat/: ${served.join(', ')}`],
        isFinding: false,
      };
    }
    default:
      throw new Error(`${name} prints by itself`);
  }
}

/** @returns the exit code */
async function run(): Promise<number> {
  const command = parseCommandLine(process.argv.slice(2));
  if (command.name === 'help') {
    await print(command.text);
    return 0;
  }
  // What a command writes is for the server's own user only.
  process.umask(0o077);
  const { isJson, operands } = command;
  if (command.name === 'export') {
    if (await exportCommand(loadCommandConfig(), operands[0]!, print)) return 0;
    process.stderr.write(`satchel: no account ${operands[0]}\n`);
    return FOUND;
  }
  if (command.name === 'webcat manifest') {
    await print(`${await makeWebcatManifest(loadConfig(), operands[0]!)}\n`);
    return 0;
  }
  const { json, lines, notes, isFinding } = await runFor(command);
  await print(isJson ? `${JSON.stringify(json)}\n` : lines.map((line) => `${line}\n`).join(''));
  if (!isJson) process.stderr.write(notes.map((note) => `satchel: ${note}\n`).join(''));
  return isFinding ? FOUND : 0;
}

const KNOWN = [
  AppError,
  UsageError,
  ConfigError,
  BlobStoreError,
  CommandError,
  BackupError,
  SiteLockError,
  NotWritableError,
  RegistrationError,
];

function textOf(error: unknown): string {
  if (KNOWN.some((kind) => error instanceof kind)) return (error as Error).message;
  const refusal = diskWordsOf(error);
  if (refusal !== undefined)
    return `${(error as NodeJS.ErrnoException).path ?? 'a file'} can't be written (${refusal})`;
  return `could not be done: ${error instanceof Error ? error.stack : String(error)}`;
}

function explain(error: unknown): number {
  process.stderr.write(`satchel: ${textOf(error)}\n`);
  return UNUSABLE;
}

// Not process.exit: a pipe may not have taken the whole output yet.
process.exitCode = await run().catch(explain);
