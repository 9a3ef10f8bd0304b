/** What can be typed: the one table that parsing, `--help`, the man page and completions are made from. */

export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** What its value is called; a switch has none. */
  readonly value?: string;
  /** It takes all operands that follow, or may be given several times. */
  readonly isMany?: boolean;
  readonly says: string;
}

export interface Command {
  readonly name: string;
  readonly operands: string;
  /** How many operands it takes at most. */
  readonly operandsMax: number;
  readonly says: string;
  readonly flags: readonly Flag[];
  readonly examples: readonly (readonly [line: string, says: string])[];
}

const JSON_FLAG: Flag = { name: 'json', says: 'print one JSON object, also of a failure' };
const YES: Flag = { name: 'yes', short: 'y', says: 'ask nothing' };
const PASSPHRASE_FILE: Flag = {
  name: 'passphrase-file',
  value: 'FILE',
  says: 'read the passphrase from a file; - is stdin',
};
const SITE: Flag = { name: 'site', value: 'SITE', says: 'the site; without it, the one you signed in to last' };

export const COMMANDS: readonly Command[] = [
  {
    name: 'put',
    operands: 'PATH…|-',
    operandsMax: Number.POSITIVE_INFINITY,
    says: 'Upload files and directories, or a pipe, and print the link.',
    flags: [
      { name: 'to', value: '@FILE|LINK|NAME', says: 'into this folder of yours; without it, into a new one' },
      {
        name: 'name',
        value: 'NAME',
        says: 'name of the new folder, and of the file from a pipe; the server sees a folder’s name',
      },
      { name: 'expires', value: 'TIME', says: 'delete the new folder after 90m, 6h or 2d' },
      { name: 'passphrase', says: 'opening the link also needs a passphrase, which is asked for' },
      PASSPHRASE_FILE,
      { name: 'discord', says: 'the link opens without its key, which the server keeps: for Discord' },
      { name: 'plain', says: 'encrypt nothing' },
      { name: 'show-names', says: 'don’t hide file names from the server' },
      { name: 'keep-metadata', says: 'leave place, time and camera in photographs' },
      { name: 'copy', says: 'put the link into the clipboard, too' },
      { name: 'qr', says: 'show the link as a QR code, too' },
      SITE,
      JSON_FLAG,
    ],
    examples: [
      ['satchel put holiday.mp4 photos/', 'prints the link of a new folder with both'],
      ['flameshot gui -r | satchel put -', 'uploads a screenshot'],
      ['satchel put build.zip --to Builds', 'adds to a folder of yours'],
    ],
  },
  {
    name: 'get',
    operands: 'LINK|@FILE|-',
    operandsMax: 1,
    says: 'Download a folder. A file gets its name once every byte of it is verified.',
    flags: [
      { name: 'output', short: 'o', value: 'DIR', says: 'directory for the files; without it, the current one' },
      { name: 'only', value: 'GLOB', isMany: true, says: 'only these files; may be given several times' },
      { name: 'force', short: 'f', says: 'overwrite files that are there' },
      { name: 'stdout', says: 'write one file to stdout' },
      { name: 'list', says: 'name the files, and download nothing' },
      PASSPHRASE_FILE,
      JSON_FLAG,
    ],
    examples: [
      ['wl-paste | satchel get -o Downloads', 'reads the link from the clipboard'],
      ["SATCHEL_LINK=… satchel get --only '*.pdf'", 'only the PDFs'],
    ],
  },
  {
    name: 'ls',
    operands: '[LINK|@FILE|-]',
    operandsMax: 1,
    says: 'List your folders, or the files of one.',
    flags: [PASSPHRASE_FILE, SITE, JSON_FLAG],
    examples: [],
  },
  {
    name: 'rm',
    operands: 'LINK|@FILE|- [PATH…]',
    operandsMax: Number.POSITIVE_INFINITY,
    says: 'Delete a folder of yours, or files of it.',
    flags: [YES, PASSPHRASE_FILE, JSON_FLAG],
    examples: [],
  },
  {
    name: 'login',
    operands: '[SITE]',
    operandsMax: 1,
    says: 'Sign in by a code that you confirm in a browser. SITE is an address such as files.example.org.',
    flags: [JSON_FLAG],
    examples: [],
  },
  {
    name: 'whoami',
    operands: '',
    operandsMax: 0,
    says: 'Say who is signed in, and where.',
    flags: [SITE, JSON_FLAG],
    examples: [],
  },
  {
    name: 'logout',
    operands: '[SITE]',
    operandsMax: 1,
    says: 'End the sign-in of this device.',
    flags: [{ name: 'keys', says: 'also forget the keys of your folders: then only their links open them' }, JSON_FLAG],
    examples: [],
  },
  {
    name: 'agent',
    operands: '',
    operandsMax: 0,
    says: 'Take uploads from screenshot programs on this machine, and answer with a link.',
    flags: [
      { name: 'port', value: 'PORT', says: 'listen on this port of 127.0.0.1; without it, on 47853' },
      { name: 'each', says: 'a folder for each upload; without it, one for each day' },
      { name: 'sxcu', value: 'FILE', says: 'write the settings for ShareX, and listen' },
      { name: 'iscu', value: 'FILE', says: 'write the settings for ishare, and listen' },
      { name: 'expires', value: 'TIME', says: 'delete new folders after 90m, 6h or 2d' },
      { name: 'discord', says: 'links open without their key, which the server keeps: for Discord' },
      { name: 'keep-metadata', says: 'leave place, time and camera in photographs' },
      SITE,
    ],
    examples: [['satchel agent --sxcu satchel.sxcu', 'ShareX imports the file']],
  },
  {
    name: 'verify',
    operands: '[SITE]',
    operandsMax: 1,
    says: 'Compare what a site serves with the release that this command is of, and name each difference.',
    flags: [
      {
        name: 'manifest',
        value: 'FILE',
        says: 'compare with this manifest: take it from a signed release, not from the site',
      },
      JSON_FLAG,
    ],
    examples: [['satchel verify files.example.org', 'asks for every page and file, as a browser does']],
  },
  {
    name: 'completion',
    operands: 'bash|zsh|fish|man',
    operandsMax: 1,
    says: 'Print a completion for your shell, or the man page.',
    flags: [],
    examples: [['satchel completion fish > ~/.config/fish/completions/satchel.fish', '']],
  },
];

export const GLOBAL_FLAGS: readonly Flag[] = [
  { name: 'help', short: 'h', says: 'describe the command' },
  { name: 'version', says: 'print the version' },
];

export const EXIT_CODES: readonly (readonly [code: number, says: string])[] = [
  [0, 'done'],
  [1, 'used wrongly'],
  [2, 'refused: sign-in, quota, expired, not found, a file is in the way, or some files could not be read'],
  [3, 'the connection failed after all retries'],
  [4, 'a file is not what its label says, and was not saved under its name; or a site differs from its release'],
  [130, 'interrupted: run the same command again, and it continues'],
];
