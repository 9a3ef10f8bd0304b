import { COMMANDS, type Command, EXIT_CODES, type Flag, GLOBAL_FLAGS } from './commands.ts';

/** Help, man page and completions, all from the table of commands. */

const INDENT = '  ';
const spelled = ({ name, short, value }: Flag): string =>
  `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `${INDENT}${left.padEnd(width)}${right}`).join('\n');
}

const synopsis = ({ name, operands }: Command): string => `satchel ${name} ${operands}`.trim();

export function overview(): string {
  return `Encrypted folders, shared by one link.

${table(COMMANDS.map((command) => [synopsis(command).slice('satchel '.length), command.says]))}

${table(GLOBAL_FLAGS.map((flag) => [spelled(flag), flag.says]))}

Exit codes:
${table(EXIT_CODES.map(([code, says]) => [String(code), says]))}

satchel COMMAND --help describes one command.
`;
}

export function helpOf(command: Command): string {
  const flags = command.flags.length > 0 ? `\n${table(command.flags.map((flag) => [spelled(flag), flag.says]))}\n` : '';
  const examples = command.examples.map(
    ([line, says]) => `${INDENT}${line}${says ? `\n${INDENT}${INDENT}${says}` : ''}\n`,
  );
  const shown = examples.length > 0 ? `\nExamples:\n${examples.join('')}` : '';
  return `${synopsis(command)}\n\n${command.says}\n${flags}${shown}`;
}

/** A text in roff: a line must not begin with a dot, and a backslash begins an escape. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

export function manPage(version: string): string {
  const flagLines = (flags: readonly Flag[]) =>
    flags.map((flag) => `.TP\n.B ${roff(spelled(flag))}\n${roff(flag.says)}`);
  const commands = COMMANDS.flatMap((command) => [
    `.SS ${roff(synopsis(command))}`,
    roff(command.says),
    ...flagLines(command.flags),
    ...command.examples.map(([line, says]) => `.PP\n.B ${roff(line)}\n.br\n${roff(says)}`),
  ]);
  return `${[
    `.TH SATCHEL 1 "" "satchel ${version}"`,
    '.SH NAME',
    'satchel \\- encrypted folders, shared by one link',
    '.SH SYNOPSIS',
    '.B satchel',
    '.I COMMAND',
    '.SH COMMANDS',
    ...commands,
    '.SH OPTIONS',
    ...flagLines(GLOBAL_FLAGS),
    '.SH EXIT STATUS',
    ...EXIT_CODES.map(([code, says]) => `.TP\n.B ${code}\n${roff(says)}`),
    '.SH ENVIRONMENT',
    '.TP\n.B SATCHEL_LINK\nthe link of a folder, where none is given',
    '.TP\n.B XDG_CONFIG_HOME\nwhere sign\\-ins, keys and journals are kept, in satchel/; ~/.config where it is not set',
  ].join('\n')}\n`;
}

const names = COMMANDS.map(({ name }) => name);
const long = ({ flags }: Command): string[] => flags.map(({ name }) => `--${name}`);
const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`;

const SHELLS = {
  bash: () => `_satchel() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W '${names.join(' ')} --help --version' -- "$word")); return; fi
  case "\${COMP_WORDS[1]}" in
${COMMANDS.map((command) => `    ${command.name}) COMPREPLY=($(compgen -W '${[...long(command), '--help'].join(' ')}' -- "$word"));;`).join('\n')}
  esac
}
complete -o default -F _satchel satchel
`,
  zsh: () => `#compdef satchel
_satchel() {
  if (( CURRENT == 2 )); then compadd ${names.join(' ')}; return; fi
  case $words[2] in
${COMMANDS.map((command) => `    ${command.name}) compadd -- ${[...long(command), '--help'].join(' ')}; _files;;`).join('\n')}
  esac
}
compdef _satchel satchel
`,
  fish: () =>
    `${COMMANDS.flatMap((command) => [
      `complete -c satchel -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.says)}`,
      ...command.flags.map(
        ({ name, short, value, says }) =>
          `complete -c satchel -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${short ? ` -s ${short}` : ''}${value ? ' -r' : ''} -d ${quoted(says)}`,
      ),
    ]).join('\n')}\n`,
} as const;

/** @returns null for a shell that there is no completion for */
export const completionFor = (shell: string): string | null =>
  Object.hasOwn(SHELLS, shell) ? SHELLS[shell as keyof typeof SHELLS]() : null;
