/** Replaces server-rows.ts in a browser, by the "browser" condition of this package's imports. */
export const SERVER_ROWS = {};
