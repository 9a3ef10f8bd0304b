/** The innermost cause of an error: it says best what failed. */
export const innermost = (error: unknown): unknown =>
  error instanceof Error && error.cause ? innermost(error.cause) : error;

const LATE = new Set(['AbortError', 'TimeoutError']);

/** Whether a call was given up, rather than refused. */
export const isLate = (cause: unknown): boolean => cause instanceof Error && LATE.has(cause.name);

/** The cause of an error in a word. */
export function causeOf(error: unknown): string {
  const cause = innermost(error);
  if (!(cause instanceof Error)) return String(cause);
  return isLate(cause) ? 'no answer in time' : ((cause as NodeJS.ErrnoException).code ?? cause.message);
}
