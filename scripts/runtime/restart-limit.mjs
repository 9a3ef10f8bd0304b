/** This number of ends within this time means a fault that a restart doesn't fix. */
export const RESTARTS_MAX = 5;
const RESTARTS_WITHIN_MS = 60_000;

/** @returns {() => number} counts an end, and says how many there were within the time */
export function createEndCounter() {
  const ends = [];
  return () => {
    const now = Date.now();
    ends.push(now);
    while (ends[0] < now - RESTARTS_WITHIN_MS) ends.shift();
    return ends.length;
  };
}
