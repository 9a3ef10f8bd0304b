/**
 * The fields of a form or a query with one value each. One without a value counts as left out (RFC 6749 §3.1), and so does
 * one that is repeated, which §3.1 and §3.2 forbid.
 */
export const singleFields = (given: unknown): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => typeof value === 'string' && value !== ''));
