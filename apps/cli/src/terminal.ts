import { openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream } from 'node:tty';
import { sizeText } from '@satchel/contract/files/sizes';
import { showUnseen } from '@satchel/contract/unseen';
import { CommandError, EXIT, UsageError } from './outcome.ts';

/** What a person reads and types. Results go to stdout, everything else to stderr; colours are never used. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of others that can't move the cursor, colour the terminal or turn the direction of a line. */
export const printable = (text: string): string => showUnseen(text.replace(CONTROLS, '?'));

const CLEAR = '\r\u001b[K';
/** Progress overwrites its own line, which a log or a dumb terminal can't. */
const showsProgress = Boolean(process.stderr.isTTY) && process.env.TERM !== 'dumb';
let hasProgress = false;

function clearProgress(): void {
  if (hasProgress) process.stderr.write(CLEAR);
  hasProgress = false;
}

/** A line for the person. */
export function say(text: string): void {
  clearProgress();
  process.stderr.write(`${printable(text)}\n`);
}

/** A drawing of several lines for the person. */
export function draw(lines: string): void {
  clearProgress();
  process.stderr.write(`${lines}\n`);
}

/** Shows how far the work is, where there is a terminal. */
export function showProgress(text: string): void {
  if (!showsProgress) return;
  process.stderr.write(CLEAR + printable(text).slice(0, (process.stderr.columns || 80) - 1));
  hasProgress = true;
}

/** Tells how many of some files are done, how many of their bytes, and how fast. */
export function createProgress(fileCount: number, totalBytes: number) {
  let [bytes, done] = [0, 0];
  const sinceMs = performance.now();
  const tell = () => {
    const speed = sizeText((bytes * 1000) / Math.max(1, performance.now() - sinceMs));
    const percent = totalBytes === 0 ? 100 : Math.min(100, Math.floor((100 * bytes) / totalBytes));
    showProgress(
      `${done} of ${fileCount} ${fileCount === 1 ? 'file' : 'files'}, ${percent} % of ${sizeText(totalBytes)}, ${speed}/s`,
    );
  };
  return {
    addBytes(more: number) {
      bytes += more;
      tell();
    },
    addFile() {
      done += 1;
      tell();
    },
  };
}

/** Results: the only thing on stdout. The bytes have left this process once it resolves, so that their buffer is free. */
export function print(bytes: string | Uint8Array): Promise<void> {
  clearProgress();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  return promise;
}

export async function readAll(stream: AsyncIterable<Uint8Array> = process.stdin): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** The terminal itself, since stdin may be a pipe. @throws UsageError where there is none */
function openTerminal(otherwise: string): ReadStream {
  if (process.stdin.isTTY) return process.stdin;
  try {
    return new ReadStream(openSync(process.platform === 'win32' ? '\\\\.\\CONIN$' : '/dev/tty', 'r+'));
  } catch {
    throw new UsageError(otherwise);
  }
}

const [ENTER, NEWLINE, END, INTERRUPT, DELETE, BACKSPACE] = [13, 10, 4, 3, 127, 8];

/**
 * Asks for a secret, which is not shown.
 * @throws UsageError with `otherwise` where there is no terminal
 */
export async function askSecret(question: string, otherwise: string): Promise<string> {
  const terminal = openTerminal(otherwise);
  clearProgress();
  process.stderr.write(question);
  terminal.setRawMode(true);
  let typed: number[] = [];
  try {
    for await (const part of terminal.iterator({ destroyOnReturn: false })) {
      for (const byte of part as Buffer) {
        if (byte === INTERRUPT) throw new CommandError(EXIT.interrupted, 'interrupted', 'Interrupted');
        if (byte === ENTER || byte === NEWLINE || byte === END) return Buffer.from(typed).toString();
        if (byte === DELETE || byte === BACKSPACE) typed = typed.slice(0, -1);
        else typed.push(byte);
      }
    }
    return Buffer.from(typed).toString();
  } finally {
    terminal.setRawMode(false);
    process.stderr.write('\n');
    if (terminal === process.stdin) terminal.pause();
    else terminal.destroy();
  }
}

/** @throws UsageError with `otherwise` where there is no terminal to ask at */
export async function confirm(question: string, otherwise: string): Promise<boolean> {
  const input = openTerminal(otherwise);
  const questions = createInterface({ input, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await questions.question(`${printable(question)} [y/N] `)).trim());
  } finally {
    questions.close();
    if (input !== process.stdin) input.destroy();
  }
}
