import { writeFileSync } from 'node:fs';

/** Leaves a file where a run saw errors outside of its tests: Vitest's results say nothing of them once a test failed, too. */
export class OutsideErrors {
  /** @param {string} file */
  constructor(file) {
    this.file = file;
  }

  onTestRunEnd(_modules, errors) {
    if (errors.length > 0) writeFileSync(this.file, String(errors.length));
  }
}
