import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Reads how many files and connections this process may have open at once. */

/** For systems that do not report a limit, and for Windows, which has none. */
const FALLBACK = 1024;
const UNLIMITED = 1_048_576;

const countOf = (text: string | undefined): number | null => {
  if (text === 'unlimited') return UNLIMITED;
  const count = Number(text);
  return Number.isInteger(count) && count > 0 ? count : null;
};

/** The soft limit, the first number in the line. Node raises it to the hard limit before this code runs. */
function fromProc(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return countOf(soft);
  } catch {
    return null;
  }
}

function fromShell(): number | null {
  try {
    return countOf(execFileSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8', timeout: 2000 }).trim());
  } catch {
    return null;
  }
}

/** The limit of this process. */
export const maxDescriptors = (): number => fromProc() ?? fromShell() ?? FALLBACK;
