import type { FieldErrors } from './discord-error.ts';

/** What the application got wrong. Discord would only say that the interaction failed; the sandbox tells why. */
export interface Problem {
  readonly at: string;
  readonly what: string;
  readonly errors?: FieldErrors;
}

const KEPT = 200;

export function createProblems(now: () => number) {
  const problems: Problem[] = [];
  return {
    note(what: string, errors?: FieldErrors) {
      problems.push({ at: new Date(now()).toISOString(), what, ...(errors && { errors }) });
      if (problems.length > KEPT) problems.shift();
    },
    all: (): readonly Problem[] => problems,
  };
}
export type Problems = ReturnType<typeof createProblems>;
