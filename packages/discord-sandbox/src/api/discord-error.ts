/** A refusal as Discord's API answers it. Codes and texts are of its list of JSON error codes. */

export interface FieldError {
  readonly code: string;
  readonly message: string;
}
/** Errors by field; a field's own errors are under `_errors`. */
export interface FieldErrors {
  [field: string]: FieldErrors | FieldError[];
}

export class DiscordError extends Error {
  readonly statusCode: number;
  readonly code: number;
  readonly errors: FieldErrors | undefined;

  constructor(statusCode: number, code: number, message: string, errors?: FieldErrors) {
    super(message);
    this.name = 'DiscordError';
    this.statusCode = statusCode;
    this.code = code;
    this.errors = errors;
  }

  get body() {
    return { message: this.message, code: this.code, ...(this.errors && { errors: this.errors }) };
  }
}

export const unauthorized = () => new DiscordError(401, 0, '401: Unauthorized');
export const unknownMessage = () => new DiscordError(404, 10_008, 'Unknown Message');
export const unknownWebhook = () => new DiscordError(404, 10_015, 'Unknown Webhook');
export const emptyMessage = () => new DiscordError(400, 50_006, 'Cannot send an empty message');
export const invalidToken = () => new DiscordError(401, 50_027, 'Invalid Webhook Token');
export const unreadableBody = () => new DiscordError(400, 50_109, 'The request body contains invalid JSON.');

/** @param problems as `schema/check.ts` words them. Discord does not document the codes of single faults: here is but one. */
export function invalidForm(problems: readonly string[]): DiscordError {
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
  return new DiscordError(400, 50_035, 'Invalid Form Body', errors);
}

/** @throws DiscordError 50035 where there are problems */
export function checkBody(problems: readonly string[]) {
  if (problems.length > 0) throw invalidForm(problems);
}
