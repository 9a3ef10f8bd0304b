/**
 * Deadlines of tests: they only stop what hangs, and no test asserts how long something takes. TEST_PACE says how many times
 * longer than on its makers' machine the same work takes here: a run measures that once, before its first test.
 */
const PACE = Math.max(1, Number(process.env.TEST_PACE ?? 1));

/** @returns milliseconds on this machine for work that may take `seconds` on an idle machine of the makers */
export const deadline = (seconds: number): number => Math.ceil(seconds * 1000 * PACE);

/** For one thing that a person waits for: an answer, a picture, a row that appears. */
export const WAIT_MS = deadline(60);

const ASK_AGAIN_MS = 25;

/** Waits for a state that can only be asked for. @throws once the time for it is over, with these words */
export async function until(isSo: () => boolean | Promise<boolean>, otherwise: () => string, waitMs = WAIT_MS) {
  const end = Date.now() + waitMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(otherwise());
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}
