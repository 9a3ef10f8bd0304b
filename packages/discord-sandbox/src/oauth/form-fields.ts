/** Reads a form body or query string; a repeated name becomes a list. */
export function readFields(encoded: string): Record<string, string | string[]> {
  const params = new URLSearchParams(encoded);
  return Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const [first = '', ...more] = params.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}

/**
 * The fields with one value each. One without a value counts as left out (RFC 6749 §3.1), and so does one that is
 * repeated, which §3.1 and §3.2 forbid.
 */
export const singleFields = (given: unknown): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => typeof value === 'string' && value !== ''));
