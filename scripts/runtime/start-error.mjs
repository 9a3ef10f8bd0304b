// Runs on Node 20: only what that knows, and no import that needs node_modules.
import { fail } from './paths.mjs';

/** Why a start can't go on: one line for people, and what a tool printed. */
export class StartError extends Error {
  name = 'StartError';
  output;
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

/** Ends the launcher with the line of a StartError. @throws any other error */
export function explain(error) {
  if (!(error instanceof StartError)) throw error;
  return fail(error.message, error.output);
}
