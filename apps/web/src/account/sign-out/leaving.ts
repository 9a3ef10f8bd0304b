/** Something that would be lost if the person left now; asks, and says whether they leave. */
export type LeaveQuestion = () => Promise<boolean>;

const questions = new Map<LeaveQuestion, (() => void) | undefined>();

/**
 * Has `question` asked before the person signs out, until what this returns is called.
 * @param onLeft called once they are signed out
 */
export function askBeforeLeaving(question: LeaveQuestion, onLeft?: () => void): () => void {
  questions.set(question, onLeft);
  return () => questions.delete(question);
}

/** Asks all there is to ask; false as soon as one answer is to stay. */
export async function mayLeave(): Promise<boolean> {
  for (const question of questions.keys()) if (!(await question())) return false;
  return true;
}

/** Calls every `onLeft`, after the sign-out. */
export const haveLeft = (): void => {
  for (const onLeft of questions.values()) onLeft?.();
};
