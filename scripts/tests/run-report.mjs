const COLUMNS = ['suite', 'passed', 'failed', 'skipped', 'seconds'];

/**
 * Counts what came of each part of a run, for the table at its end.
 * @param {() => number} [now] milliseconds
 */
export function createReport(now = () => performance.now()) {
  const startedMs = now();
  const rows = [];
  const failures = [];
  const leftOut = [];

  /** Takes the time of a part, whose results are counted by `count`. */
  async function part(name, run) {
    const row = { name, passed: 0, failed: 0, skipped: 0, seconds: 0 };
    rows.push(row);
    const beganMs = now();
    try {
      return await run((what, result) => add(row, what, result));
    } finally {
      row.seconds = secondsSince(beganMs);
    }
  }

  function add(row, what, { passed = 0, failed = 0, skipped = 0, isLeftOut = false }) {
    row.passed += passed;
    row.failed += failed;
    row.skipped += skipped;
    if (isLeftOut) leftOut.push(what);
    if (failed) failures.push(failed > 1 ? `${what} (${failed})` : what);
  }

  const secondsSince = (beganMs) => Math.round((now() - beganMs) / 1000);
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);

  /** The table, what was left out, what failed, and the sum as the last line. */
  function lines() {
    const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
    const total = { name: 'all', passed, failed, skipped, seconds: secondsSince(startedMs) };
    const cells = [...rows, total].map((row) => [row.name, ...COLUMNS.slice(1).map((key) => String(row[key]))]);
    return [
      ...[COLUMNS, ...cells].map(
        ([name, ...figures]) => name.padEnd(12) + figures.map((text) => text.padStart(9)).join(''),
      ),
      ...leftOut.map((what) => `left out: ${what}`),
      ...failures.map((what) => `failed: ${what}`),
      `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`,
    ];
  }

  return { part, lines, hasFailed: () => sum('failed') > 0 };
}
