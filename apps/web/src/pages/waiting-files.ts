import type { Choice } from '../features/upload/chosen-files.ts';

/** Files that were chosen before their folder was made, by its slug: they wait for its page, in this tab alone. */
const waiting = new Map<string, Choice>();

export const leaveFiles = (slug: string, choice: Choice) => waiting.set(slug, choice);

/** Hands them over, once. */
export function takeFiles(slug: string): Choice | undefined {
  const choice = waiting.get(slug);
  waiting.delete(slug);
  return choice;
}
