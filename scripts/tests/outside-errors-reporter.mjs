import { writeFileSync } from 'node:fs';

/** Leaves a file where a run saw errors outside of its tests: Vitest's results say nothing of them once a test failed, too. */
export default class OutsideErrorsReporter {
  onTestRunEnd(_modules, errors) {
    if (errors.length > 0) writeFileSync(process.env.OUTSIDE_ERRORS_FILE, String(errors.length));
  }
}
