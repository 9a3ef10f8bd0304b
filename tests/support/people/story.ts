import { beforeEach, expect } from 'vitest';

/** The tests of a file, or of a `describe`, are one story and run in order: after a failure, the rest is skipped. */
export function tellInOrder(): void {
  let isBroken = false;
  beforeEach(({ onTestFailed }) => {
    expect(isBroken, 'an earlier part of the story failed').toBe(false);
    onTestFailed(() => {
      isBroken = true;
    });
  });
}
