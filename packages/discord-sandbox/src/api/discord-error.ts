/** A refusal as Discord's API answers it. Codes and texts are of its list of JSON error codes. */

export interface FieldError {
  readonly code: string;
  readonly message: string;
}
/** Errors by field; those of a field itself are under `_errors`. */
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
export const unknownInteraction = () => new DiscordError(404, 10_062, 'Unknown interaction');
export const unknownCommand = () => new DiscordError(404, 10_063, 'Unknown application command');
export const acknowledgedAlready = () => new DiscordError(400, 40_060, 'Interaction has already been acknowledged.');
export const tooManyFollowUps = () =>
  new DiscordError(400, 40_094, 'This interaction has reached the maximum number of follow up messages');
export const emptyMessage = () => new DiscordError(400, 50_006, 'Cannot send an empty message');
export const invalidToken = () => new DiscordError(401, 50_027, 'Invalid Webhook Token');
export const unreadableBody = () => new DiscordError(400, 50_109, 'The request body contains invalid JSON.');
export const invalidForm = (errors: FieldErrors) => new DiscordError(400, 50_035, 'Invalid Form Body', errors);

/** Too many requests: when one may ask again is in the body and in headers. */
export class RateLimited extends Error {
  readonly scope: 'user' | 'global';
  readonly leftMs: number;

  constructor(scope: 'user' | 'global', leftMs: number) {
    super('You are being rate limited.');
    this.name = 'RateLimited';
    this.scope = scope;
    this.leftMs = leftMs;
  }

  get headers() {
    return {
      'retry-after': Math.ceil(this.leftMs / 1000),
      'x-ratelimit-scope': this.scope,
      ...(this.scope === 'global' && { 'x-ratelimit-global': 'true' }),
    };
  }
  get body() {
    return { message: this.message, code: 0, retry_after: this.leftMs / 1000, global: this.scope === 'global' };
  }
}
