import { parseArgs } from 'node:util';
import { FINDING_KINDS, type FindingKind, lineOf } from './findings.ts';
import type { FsckReport } from './fsck.ts';

/** Parses the command line of `satchel` and formats its answer. */

export type Command =
  | { readonly name: 'help'; readonly text: string }
  | { readonly name: 'fsck'; readonly isJson: boolean; readonly readsBlobs: boolean };

/** An invalid command line. The message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const HELP = `Usage: satchel COMMAND [OPTIONS]

Commands:
  fsck    Checks that database, stored bytes and key shares match

satchel COMMAND --help describes one command.
`;

const kindWidth = Math.max(...Object.keys(FINDING_KINDS).map((kind) => kind.length));

const FSCK_HELP = `Usage: satchel fsck [--json] [--read]

Checks that database, stored bytes and key shares match. It changes nothing and may run beside the server.
It uses the settings of the server: DATABASE_URL, DATA_DIR, KEYS_DIR, KEY_SERVICE_URL, SATCHEL_ROLE.

  --json   prints one JSON object: findings, checked, queued, elsewhere
  --read   also reads every stored byte, which takes as long as reading the whole disk

Findings are printed one a line, with ids and numbers:

${Object.entries(FINDING_KINDS)
  .map(([kind, what]) => `  ${kind.padEnd(kindWidth)}  ${what}`)
  .join('\n')}

Exit code: 0 no findings, 1 findings, 2 the check could not run.
`;

const FSCK_OPTIONS = { json: { type: 'boolean' }, read: { type: 'boolean' }, help: { type: 'boolean' } } as const;

/** @throws UsageError */
export function parseCommandLine(args: readonly string[]): Command {
  const [name, ...rest] = args;
  if (name === undefined) throw new UsageError('which command? satchel --help lists them');
  if (name === '--help' || name === '-h' || name === 'help') return { name: 'help', text: HELP };
  if (name !== 'fsck') throw new UsageError(`no command "${name}"; satchel --help lists them`);
  try {
    const { values } = parseArgs({ args: rest, options: FSCK_OPTIONS });
    if (values.help) return { name: 'help', text: FSCK_HELP };
    return { name: 'fsck', isJson: values.json ?? false, readsBlobs: values.read ?? false };
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('\n')[0]}; satchel fsck --help lists the options`);
  }
}

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`)
    .join(', ');

function summaryOf({ findings, checked, queued, elsewhere }: FsckReport): string {
  const kinds = Map.groupBy(findings, ({ kind }) => kind);
  const sums = [...kinds].map(([kind, all]: [FindingKind, readonly unknown[]]) => `${all.length} ${kind}`);
  const lines = [`checked ${counted(checked)}`];
  if (elsewhere.length > 0) lines.push(`not on this machine: ${elsewhere.join(', ').replaceAll('_', ' ')}`);
  if (Object.values(queued).some((count) => count > 0)) lines.push(`for the next sweeps: ${counted(queued)}`);
  lines.push(sums.length === 0 ? 'no findings' : `findings: ${sums.join(', ')}`);
  return lines.map((line) => `satchel: ${line}\n`).join('');
}

/** The output: findings for programs on `out`, the summary for people on `err`. */
export function printedReport(report: FsckReport, isJson: boolean): { readonly out: string; readonly err: string } {
  if (isJson) return { out: `${JSON.stringify(report)}\n`, err: '' };
  return { out: report.findings.map((finding) => `${lineOf(finding)}\n`).join(''), err: summaryOf(report) };
}
