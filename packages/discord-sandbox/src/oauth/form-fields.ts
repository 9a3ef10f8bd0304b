import { z } from 'zod';

/**
 * Reads a form body or query string. A repeated name stays a list, so that schemas made of single strings refuse it:
 * RFC 6749 §3.1 and §3.2 forbid repeating a parameter.
 */
export function readFields(encoded: string): Record<string, string | string[]> {
  const params = new URLSearchParams(encoded);
  const names = new Set(params.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const values = params.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

/** One optional field. A field without a value counts as left out (RFC 6749 §3.1). */
export const field = z
  .string()
  .optional()
  .transform((value) => (value === '' ? undefined : value));

/** The names of the fields a schema of `field`s refused, for an error text that repeats no value. */
export function refusedFields(error: z.ZodError): string {
  return [...new Set(error.issues.map((issue) => issue.path.join('.')))].join(', ');
}
