import { appendFileSync } from 'node:fs';

/** Says what is not tested on this machine, at once and in a line below the table of the run (TEST_LEFT_OUT). */
export function leaveOut(what) {
  process.stderr.write(`\nsatchel: not run on this machine: ${what}\n\n`);
  if (process.env.TEST_LEFT_OUT) appendFileSync(process.env.TEST_LEFT_OUT, `${what}\n`);
}
