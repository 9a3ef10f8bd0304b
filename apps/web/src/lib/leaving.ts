/** Something that would be lost if the person left now; asks, and says whether they leave. */
export type LeaveQuestion = () => Promise<boolean>;

const questions = new Set<LeaveQuestion>();

/** Has `question` asked before the person signs out, until what this returns is called. */
export function askBeforeLeaving(question: LeaveQuestion): () => void {
  questions.add(question);
  return () => questions.delete(question);
}

/** Asks all there is to ask; false as soon as one answer is to stay. */
export async function mayLeave(): Promise<boolean> {
  for (const question of questions) if (!(await question())) return false;
  return true;
}
