import { parseArgs } from 'node:util';
import { UsageError } from '../outcome.ts';
import { COMMANDS, type Command, GLOBAL_FLAGS } from './commands.ts';

/** A command as it was typed. */
export interface Typed {
  readonly command: Command;
  readonly operands: readonly string[];
  has(flag: string): boolean;
  value(flag: string): string | undefined;
  values(flag: string): readonly string[];
}

/** @throws UsageError */
export function parseCommandLine([name, ...args]: readonly string[]): Typed {
  const command = COMMANDS.find((known) => known.name === name);
  if (command === undefined) throw new UsageError(`there is no command ${name}; satchel --help lists the commands`);
  const flags = [...command.flags, ...GLOBAL_FLAGS];
  const options = Object.fromEntries(
    flags.map(({ name: flag, short, value, isMany = false }) => [
      flag,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: isMany,
        ...(short && { short }),
      },
    ]),
  );
  const { values, positionals } = parse({ args, options, command });
  if (positionals.length > command.operandsMax)
    throw new UsageError(`too many arguments: satchel ${name} ${command.operands}`);
  const all = (flag: string) => [values[flag] ?? []].flat().filter((value) => typeof value === 'string');
  return {
    command,
    operands: positionals,
    has: (flag) => values[flag] !== undefined,
    value: (flag) => all(flag)[0],
    values: all,
  };
}

type Options = NonNullable<Parameters<typeof parseArgs>[0]>['options'];

function parse({ args, options, command }: { args: readonly string[]; options: Options; command: Command }) {
  try {
    return parseArgs({ args: [...args], options: options ?? {}, allowPositionals: true, strict: true });
  } catch (error) {
    const [words] = error instanceof Error ? error.message.split('. ') : [];
    throw new UsageError(`${words}; satchel ${command.name} --help describes it`);
  }
}

const UNITS_HOURS: Readonly<Record<string, number>> = { m: 1 / 60, h: 1, d: 24 };

/** @returns null where no time was given @throws UsageError */
export function parseHours(text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, count, unit] = /^(\d+(?:\.\d+)?)([mhd])$/.exec(text) ?? [];
  const hours = Number(count) * (UNITS_HOURS[unit ?? ''] ?? Number.NaN);
  if (!(hours > 0)) throw new UsageError('--expires takes a time such as 90m, 6h or 2d');
  return hours;
}
