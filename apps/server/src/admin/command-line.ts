import { parseArgs } from 'node:util';
import { PROGRAM, programText } from '../program.ts';
import { CHECKS } from './doctor.ts';
import { FINDING_KINDS } from './findings.ts';
import { CONCERNS } from './status.ts';

/** Parses the command line of `satchel`. */

interface CommandSpec {
  readonly summary: string;
  /** The arguments after the name: in capitals what has to be given, and the switches beside --help. */
  readonly usage: string;
  readonly help: string;
  readonly exitCode: string;
}

const meanings = (all: Readonly<Record<string, string>>): string => {
  const width = Math.max(...Object.keys(all).map((name) => name.length));
  return Object.entries(all)
    .map(([name, what]) => `  ${name.padEnd(width)}  ${what}`)
    .join('\n');
};

const SETTINGS = `It uses the settings of the server: DATABASE_URL, DATA_DIR, KEYS_DIR, KEY_SERVICE_URL, BLOBS_URL, SATCHEL_ROLE.`;
const DONE = 'Exit code: 0 done, 2 it could not be done.';

const COMMANDS = {
  status: {
    summary: 'Says what the site holds, what waits and what runs',
    usage: '[--stored] [--json]',
    help: `Says what the site holds on the books, what waits to be swept, and which versions run.
It changes nothing and may run beside the server. ${SETTINGS}

  --stored   also lists the store, which takes minutes where there are millions of files
  --json     prints one JSON object

What an operator has to look at is printed by name:

${meanings(CONCERNS)}`,
    exitCode: 'Exit code: 0 all is well, 1 something has to be looked at, 2 it could not look.',
  },
  fsck: {
    summary: 'Checks that database, stored bytes and key shares match',
    usage: '[--json] [--read | --hash]',
    help: `Checks that database, stored bytes and key shares match. It changes nothing and may run beside the server.
${SETTINGS}

  --json   prints one JSON object: findings, checked, queued, elsewhere
  --read   also reads every stored byte, which takes as long as reading the whole disk
  --hash   the same, and compares what it reads with the checksum that was made when the bytes came

Findings are printed one a line, with ids and numbers:

${meanings(FINDING_KINDS)}`,
    exitCode: 'Exit code: 0 no findings, 1 findings, 2 the check could not run.',
  },
  backup: {
    summary: 'Copies rows and files of the running site into a folder',
    usage: 'DIR [--rows] [--json]',
    help: `Copies the site into DIR, which must be empty or missing, while the server may run: all rows as they are at one
moment, and then the files that these rows name. Files on the same file system are linked to, not copied. What is deleted
while the backup runs is counted.

It never has key shares, the sealing secret and the salts of visitors: without KEYS_DIR its encrypted folders stay closed.
It has e-mail addresses: keep it where only you can read it, and delete it after a few days.

  --rows   the rows alone, without files
  --json   prints one JSON object`,
    exitCode: 'Exit code: 0 complete, 1 files of the site were missing or could not be read, 2 no backup was made.',
  },
  restore: {
    summary: 'Puts a backup into a site that is stopped and empty',
    usage: 'DIR [--json]',
    help: `Puts the backup in DIR into a site that is stopped, whose database has no rows and whose store has no files. The
database may be of another PostgreSQL version, and the store another one: DATA_DIR, a shared directory or S3. A backup
of the rows alone goes beside the files that are in place.

Private links open only where KEYS_DIR still has their key shares, which no backup has; those without one are dropped and counted.
Links for Discord open only under the same KEY_SEALING_SECRET.

What people and operators took back after the backup was made stays taken back: the restore reads it from the journal in
KEYS_DIR, or from the key service, and says how many of each. Where that journal is lost, the restore says so before it
begins: then all sessions and Discord links end, and every folder is restricted to its owner until the owner opens it.

  --json   prints one JSON object`,
    exitCode:
      'Exit code: 0 restored, 1 restored, but for files that the backup has lost or damaged, 2 nothing was restored.',
  },
  migrate: {
    summary: 'Brings the database to the schema of this version',
    usage: '[--json]',
    help: `Brings the database to the schema of this version, as the start of the server does. A site on a disk has to be
stopped; nodes of a site may continue.

  --json   prints one JSON object`,
    exitCode: DONE,
  },
  sweep: {
    summary: 'Deletes what has expired, as the server does every few minutes',
    usage: '[--json]',
    help: `Deletes what has expired, as the server does every five minutes. A site on a disk has to be stopped: its server is the
one that deletes. It may run beside nodes that share a store.

  --json   prints one JSON object`,
    exitCode: 'Exit code: 0 done, 1 steps failed and are left to the next sweep, 2 it could not be done.',
  },
  delete: {
    summary: 'Deletes one folder, with its files and its key share',
    usage: 'FOLDER [--yes] [--json]',
    help: `Deletes the folder whose address ends with FOLDER, as its owner could: rows, key share and bytes, at once. There is no
way back. The server may run. The operators' page takes a folder down with a reason that its visitors read; this leaves none.

  --yes    does not ask
  --json   prints one JSON object; needs --yes`,
    exitCode: 'Exit code: 0 deleted, 1 there is no such folder, 2 it could not be done.',
  },
  export: {
    summary: 'Prints all that is stored about one person, as JSON',
    usage: 'PROFILE',
    help: `Prints all that is stored about one person as one JSON object, as that person's own export does: without keys, tokens and
hashes. PROFILE is the id of the account or the Discord id of the person. It changes nothing and may run beside the server.`,
    exitCode: 'Exit code: 0 printed, 1 there is no such account, 2 it could not be done.',
  },
  doctor: {
    summary: 'Tries Discord, address, proxy, clock, database, store and disk',
    usage: '[--json]',
    help: `Tries what the settings name, as the server and people will use it, and says each in a line: "ok", "failed" or "skipped", the
name of the check, and what was found. It needs all settings of the server, and may run beside it. It uses the network:
Discord, and PUBLIC_URL. With DISCORD_BOT_TOKEN, which the server does without, it also reads the application at Discord.

  --json   prints one JSON object

${meanings(CHECKS)}`,
    exitCode: 'Exit code: 0 no check failed, 1 a check failed, 2 a setting is wrong.',
  },
  '--print-settings': {
    summary: 'Says what was understood of the settings',
    usage: '[--json]',
    help: `Says what was understood of the settings, one a line: the value, and whether it is the default. Of secrets it says only
whether they are set, and by which setting. It changes nothing, and uses neither database nor network.

  --json   prints one JSON object`,
    exitCode: 'Exit code: 0 printed, 2 a setting is wrong.',
  },
  pseudonym: {
    summary: 'Says which pseudonym a person has in the log',
    usage: 'PROFILE [--json]',
    help: `Says which pseudonym a person has in the log: the field "user" of each line of an answer to this person.
PROFILE is the Discord id of the person, or the id of the account. It needs the server's SESSION_SECRET, or its DATA_DIR with the
secret that the server made. It changes nothing and may run beside the server.

  --json   prints one JSON object`,
    exitCode: 'Exit code: 0 printed, 1 there is no such account, 2 it could not be done.',
  },
  'bot register': {
    summary: 'Publishes the commands of the bot at Discord',
    usage: '[--json]',
    help: `Publishes the commands of the bot at Discord, and where they are answered. The server has to be running. It needs all
settings of the server, and DISCORD_BOT_TOKEN. It uses the network, as doctor does and no other command.

  --json   prints one JSON object`,
    exitCode: DONE,
  },
  'webcat manifest': {
    summary: 'Prints the manifest that an operator signs for WEBCAT',
    usage: 'TREE_HEAD',
    help: `Prints what this build serves with these settings as a manifest for WEBCAT (https://docs.webcat.tech), to be signed by the
operator's own keys and tools. TREE_HEAD is a file with the answer of a Sigsum log to get-tree-head; - where the enrollment is
of Sigstore. It needs all settings of the server, changes nothing and may run beside it.`,
    exitCode: 'Exit code: 0 printed, 2 it could not be done.',
  },
  'webcat publish': {
    summary: 'Has the server serve what an operator has signed for WEBCAT',
    usage: 'DIR [--json]',
    help: `Takes enrollment.json and the signed manifest.json from DIR and compares them with this build and these settings. Where a
browser would take them, it puts them with their bundle into DATA_DIR, and the server serves them below /.well-known/webcat/. What
it can't check is whether a log has the signatures: WEBCAT's own tools do. The enrollment before stays beside a new one. To leave
WEBCAT, delete DATA_DIR/webcat and send the site in for enrollment again.

  --json   prints one JSON object`,
    exitCode: DONE,
  },
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;

export type Command =
  | { readonly name: 'help'; readonly text: string }
  | {
      readonly name: CommandName;
      readonly isJson: boolean;
      readonly switches: readonly string[];
      readonly operands: readonly string[];
    };

/** An invalid command line. The message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const NAMES = Object.keys(COMMANDS) as CommandName[];
const HELP = `Usage: satchel-admin COMMAND [OPTIONS]

Commands:
${meanings(Object.fromEntries(NAMES.map((name) => [name, COMMANDS[name].summary])))}

satchel-admin COMMAND --help describes one command, satchel-admin --version says which program this is.
`;

const helpOf = (name: CommandName): string => {
  const { usage, help, exitCode }: CommandSpec = COMMANDS[name];
  return `Usage: satchel-admin ${name} ${usage}\n\n${help}\n\n${exitCode}\n`;
};

const isName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

/** A name of one word or of two, and what follows it. */
function split([first, second, ...rest]: readonly string[]): { name: string; rest: readonly string[] } {
  const both = `${first} ${second}`;
  if (second !== undefined && isName(both)) return { name: both, rest };
  return { name: first!, rest: second === undefined ? [] : [second, ...rest] };
}

/** @throws UsageError */
export function parseCommandLine(args: readonly string[]): Command {
  if (args[0] === undefined) throw new UsageError('which command? satchel-admin --help lists them');
  if (['--help', '-h', 'help'].includes(args[0])) return { name: 'help', text: HELP };
  if (args[0] === '--version') return { name: 'help', text: `satchel ${programText(PROGRAM)}\n` };
  const { name, rest } = split(args);
  if (!isName(name)) throw new UsageError(`no command "${name}"; satchel-admin --help lists them`);
  const { usage } = COMMANDS[name];
  const operands = usage.match(/\b[A-Z_]+\b/g) ?? [];
  const switches = Array.from(usage.matchAll(/--(\w+)/g), ([, each = '']) => each).filter((each) => each !== 'json');
  const refuse = (why: string) => new UsageError(`${why}; satchel-admin ${name} --help lists the options`);
  const options = Object.fromEntries(['json', 'help', ...switches].map((each) => [each, { type: 'boolean' as const }]));
  let parsed: { values: Record<string, boolean | undefined>; positionals: string[] };
  try {
    const found = parseArgs({ args: [...rest], options, allowPositionals: operands.length > 0 });
    parsed = { values: found.values as Record<string, boolean | undefined>, positionals: found.positionals };
  } catch (error) {
    throw refuse((error as Error).message.split('\n')[0]!);
  }
  const { values, positionals } = parsed;
  if (values.help) return { name: 'help', text: helpOf(name) };
  if (positionals.length < operands.length) throw refuse(`${operands[positionals.length]} is missing`);
  if (positionals.length > operands.length) throw refuse(`Unexpected argument '${positionals[operands.length]}'`);
  return {
    name,
    isJson: values.json ?? false,
    switches: switches.filter((each) => values[each]),
    operands: positionals,
  };
}
