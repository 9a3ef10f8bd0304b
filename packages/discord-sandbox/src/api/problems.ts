/** A refusal as Discord's API answers it, and the list of what the application got wrong. */

interface FieldError {
  readonly code: string;
  readonly message: string;
}
/** Errors by field; a field's own errors are under `_errors`. */
interface FieldErrors {
  [field: string]: FieldErrors | FieldError[];
}

/** Codes and texts are of Discord's list of JSON error codes. */
export class DiscordError extends Error {
  readonly statusCode: number;
  readonly code: number;
  readonly errors: FieldErrors | undefined;

  constructor(statusCode: number, code: number, message: string, errors?: FieldErrors) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
    this.errors = errors;
  }
}

export const unknownWebhook = () => new DiscordError(404, 10_015, 'Unknown Webhook');
export const unreadableBody = () => new DiscordError(400, 50_109, 'The request body contains invalid JSON.');

/**
 * @param problems as `schema/check.ts` words them. Discord does not document the codes of single faults: here is but one.
 * @throws DiscordError 50035 where there are problems
 */
export function checkBody(problems: readonly string[]): void {
  if (problems.length === 0) return;
  // Fields have the names that the sender gave them, `__proto__` among them.
  const errors: FieldErrors = Object.create(null);
  for (const problem of problems) {
    const [place = ''] = problem.split(': ', 1);
    let node = errors;
    for (const key of place.split('/').filter((name) => name !== '')) {
      node[key] ??= Object.create(null);
      node = node[key] as FieldErrors;
    }
    const known = Array.isArray(node._errors) ? node._errors : [];
    node._errors = [...known, { code: 'INVALID', message: problem.slice(place.length + 2) }];
  }
  throw new DiscordError(400, 50_035, 'Invalid Form Body', errors);
}

/** What the application got wrong. Discord would only say that the interaction failed; the sandbox tells why. */
interface Problem {
  readonly what: string;
  readonly errors?: FieldErrors;
}

export function createProblems() {
  const problems: Problem[] = [];
  return {
    note(what: string, errors?: FieldErrors) {
      problems.push({ what, ...(errors && { errors }) });
    },
    all: (): readonly Problem[] => problems,
  };
}
export type Problems = ReturnType<typeof createProblems>;
