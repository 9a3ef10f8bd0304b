import { expect, test } from 'vitest';
import { parseCommandLine, UsageError } from './command-line.ts';
import { outcomeOf } from './commands.ts';
import { FINDING_KINDS } from './findings.ts';
import type { FsckReport } from './fsck.ts';

const CLEAN: FsckReport = {
  findings: [],
  checked: { files: 2, open_uploads: 1 },
  queued: { key_shares: 0 },
  elsewhere: [],
};
const FOUND: FsckReport = {
  ...CLEAN,
  findings: [
    { kind: 'file_blob_missing', detail: { file: 'f1', blob: 'b1', bytes: 3 } },
    { kind: 'file_blob_missing', detail: { file: 'f2', blob: 'b2', bytes: 4 } },
    { kind: 'profile_used', detail: { profile: 'p1', saved: 1, actual: 2 } },
  ],
  queued: { key_shares: 3 },
  elsewhere: ['key_shares'],
};

test('options are parsed', () => {
  const none = { isJson: false, switches: [], operands: [] };
  expect(parseCommandLine(['fsck'])).toEqual({ ...none, name: 'fsck' });
  const read = { name: 'fsck', isJson: true, switches: ['read'], operands: [] };
  expect(parseCommandLine(['fsck', '--read', '--json'])).toEqual(read);
  const hash = { name: 'fsck', isJson: false, switches: ['hash'], operands: [] };
  expect(parseCommandLine(['fsck', '--hash'])).toEqual(hash);
  const rows = { name: 'backup', isJson: false, switches: ['rows'], operands: ['/srv/b'] };
  expect(parseCommandLine(['backup', '/srv/b', '--rows'])).toEqual(rows);
  expect(parseCommandLine(['bot', 'register'])).toEqual({ ...none, name: 'bot register' });
});

test('the help names every kind of finding', () => {
  expect(parseCommandLine(['--help'])).toMatchObject({ name: 'help' });
  const help = parseCommandLine(['fsck', '--help']);
  for (const kind of Object.keys(FINDING_KINDS)) expect(help).toMatchObject({ text: expect.stringContaining(kind) });
});

test.each([
  'status',
  'fsck',
  'backup',
  'restore',
  'migrate',
  'sweep',
  'delete',
  'export',
  'pseudonym',
  'doctor',
  '--print-settings',
  'bot register',
  'webcat manifest',
  'webcat publish',
])('%s has its own help, with its exit codes', (name) => {
  expect(parseCommandLine(['--help'])).toMatchObject({ text: expect.stringContaining(`  ${name} `) });
  const { text } = parseCommandLine([...name.split(' '), '--help']) as { text: string };
  expect(text).toMatch(new RegExp(`^Usage: satchel-admin ${name} `));
  expect(text).toMatch(/Exit code: 0 .*, 2 .*\.\n$/);
});

test.each([
  [[], 'which command?'],
  [['mend'], 'no command "mend"'],
  [['fsck', '--mend'], "Unknown option '--mend'"],
  [['fsck', 'all'], 'Unexpected argument'],
  [['backup'], 'DIR is missing'],
  [['delete', 'a', 'b'], "Unexpected argument 'b'"],
  [['bot'], 'no command "bot"'],
])('%j is refused in one line', (args, said) => {
  expect(() => parseCommandLine(args)).toThrow(UsageError);
  expect(() => parseCommandLine(args)).toThrow(said);
  expect(() => parseCommandLine(args)).not.toThrow('\n');
});

test('findings of fsck are lines for programs, and their sums are notes for people', () => {
  expect(outcomeOf(FOUND)).toEqual({
    json: FOUND,
    lines: [
      'file_blob_missing file=f1 blob=b1 bytes=3',
      'file_blob_missing file=f2 blob=b2 bytes=4',
      'profile_used profile=p1 saved=1 actual=2',
    ],
    notes: [
      'checked 2 files, 1 open uploads',
      'not on this machine: key shares',
      'for the next sweeps: 3 key shares',
      'findings: 2 file_blob_missing, 1 profile_used',
    ],
    isFinding: true,
  });
  expect(outcomeOf(CLEAN)).toEqual({
    json: CLEAN,
    lines: [],
    notes: ['checked 2 files, 1 open uploads', 'no findings'],
    isFinding: false,
  });
});
