// Runs on Node 20: only what that knows, and no import that needs node_modules.
import { fail } from './paths.mjs';

/** Why a start can't continue: one line for people, and what a tool printed. */
export class StartError extends Error {
  name = 'StartError';
  output;
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

const DISK_FAULTS = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'this user is not allowed to',
};

/** Ends the launcher: prints a StartError's line, or exits with 2 and a line if the disk can't be written. @throws any other error */
export function explain(error) {
  if (error instanceof StartError) return fail(error.message, error.output);
  const fault = DISK_FAULTS[error?.code];
  if (fault === undefined) throw error;
  process.exitCode = 2;
  return fail(`${error.path ? `${error.path} can’t` : 'nothing can'} be written: ${fault}`);
}
