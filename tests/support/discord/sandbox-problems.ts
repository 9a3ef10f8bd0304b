import { ASKS_AGAIN } from '../people/lost-answers.ts';

/** What the sandbox says of the bot's answers. */

interface Problem {
  readonly what: string;
}

/** How the sandbox words a missing answer; 502 to 504 come from a balancer. */
const LOST =
  /: (the endpoint (could not be reached|answered with status 50[234])|there was no answer within \d+ ms)\.$/;

async function problemsOf(sandboxUrl: string): Promise<readonly Problem[]> {
  return (await (await fetch(`${sandboxUrl}/sandbox/problems`)).json()) as Problem[];
}

/** Answers that Discord would refuse. Answers lost with a node that was killed on purpose don't count. */
export const wrongAnswers = async (sandboxUrl: string): Promise<readonly Problem[]> =>
  (await problemsOf(sandboxUrl)).filter(({ what }) => !(ASKS_AGAIN && LOST.test(what)));

/** How many clicks on messages got no answer so far. */
export const lostClicks = async (sandboxUrl: string): Promise<number> =>
  (await problemsOf(sandboxUrl)).filter(({ what }) => what.startsWith('interaction of type 3: ') && LOST.test(what))
    .length;
