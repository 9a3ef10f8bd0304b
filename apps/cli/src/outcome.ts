import { AppError, toAppError } from '@satchel/contract/errors';

/** The exit codes of commands, and the words for each failure. */

export const EXIT = {
  done: 0,
  /** Used wrongly. */
  usage: 1,
  /** Sign-in, quota, expired, not found, in the way. */
  refused: 2,
  /** The line failed after all retries. */
  line: 3,
  /** A file is not what its label says, or a site not its release. */
  forged: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command was used wrongly: the person can mend it by the words alone. */
export class UsageError extends Error {}

/** Ends the command with an exit code, for a reason that the error catalogue doesn't have. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;
  constructor(exitCode: ExitCode, code: string, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

const BAD_STATUS = /\b(?:0|408|429|5\d\d)\b/;

/** Whether nothing came back, or only that the server is away. */
function isOfLine({ code, cause, params, status }: AppError): boolean {
  if (code === 'unexpected') return cause !== undefined || status >= 500;
  if (code === 'upload.create_failed' || code === 'upload.chunk_failed') return BAD_STATUS.test(String(params.status));
  if (code === 'download.file_failed') return cause !== undefined || BAD_STATUS.test(String(params.message));
  return /^(files\.load_failed|folder\.load_failed|key\.retrieval_failed)$/.test(code) && cause !== undefined;
}

/** Words of the catalogue that speak of a page. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  'auth.required': 'You are not signed in, or this sign-in has ended. Run: satchel login',
  'key.needs_link': 'This device has no key for this folder. Give its full link with --to',
  'key.passphrase_failed': 'The passphrase could not be processed: there is too little memory',
  'key.link_changed': 'The link of this folder has just been changed on another device. Run the command again',
  'upload.elsewhere': 'Another satchel is uploading this very file',
  'upload.unauthenticated': 'This sign-in has ended. Run: satchel login',
};

const isFetchFailure = (thrown: unknown): boolean => thrown instanceof TypeError && thrown.message === 'fetch failed';

export interface Failure {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly message: string;
}

export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof UsageError) return { exitCode: EXIT.usage, code: 'usage', message: thrown.message };
  if (thrown instanceof CommandError) return thrown;
  const system = thrown as NodeJS.ErrnoException;
  if (!(thrown instanceof AppError) && typeof system?.code === 'string' && system.syscall !== undefined) {
    return { exitCode: EXIT.refused, code: system.code, message: system.message };
  }
  if (!(thrown instanceof AppError) && !isFetchFailure(thrown)) {
    return {
      exitCode: EXIT.refused,
      code: 'unexpected',
      message: thrown instanceof Error ? thrown.message : String(thrown),
    };
  }
  const error = toAppError(thrown);
  const { code } = error;
  const message = OWN_WORDS[code] ?? error.message;
  if (/^open\./.test(code)) return { exitCode: EXIT.forged, code, message };
  if (isOfLine(error)) return { exitCode: EXIT.line, code, message: lineWords(error) };
  return { exitCode: EXIT.refused, code, message };
}

/** `fetch` hides the reason of a failure in its cause. */
function lineWords({ message, cause }: AppError): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const reason = inner instanceof Error ? inner.message || (inner as NodeJS.ErrnoException).code : undefined;
  return reason ? `The server could not be reached: ${reason}` : message;
}
