import { DiscordError, unreadableBody } from '../discord-error.ts';
import type { Problems } from '../problems.ts';
import type { Application } from '../world/application.ts';
import type { Answers } from './answers.ts';
import type { Delivered, Mail } from './endpoint.ts';
import type { Interaction } from './interactions.ts';

// An answer a moment late is read, too: it is told apart from none, as 10062.
const CLOSING_MS = 500;
const USER_AGENT = 'Discord-Interactions/1.0 (+https://discord.com)';

export interface ConversationsDeps {
  readonly application: Application;
  readonly mail: Mail;
  readonly answers: Answers;
  readonly problems: Problems;
  readonly answerLimitMs: number;
}

/** Parses what an HTTP response says, in Discord's words where it can't be. */
function readBody({ contentType, text }: NonNullable<Delivered>): unknown {
  if (!/^application\/json\b/i.test(contentType)) {
    throw new DiscordError(400, 0, `The answer is no JSON: its content-type is “${contentType}”.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw unreadableBody();
  }
}

/** Brings interactions to the application and waits for its first answer, three seconds at most. */
export function createConversations({ application, mail, answers, problems, answerLimitMs }: ConversationsDeps) {
  const note = (interaction: Interaction, text: string, error?: DiscordError) =>
    problems.note(`${interaction.commandName ?? `interaction of type ${interaction.type}`}: ${text}`, error?.errors);

  /** @returns whether there is an answer now, or may still be one */
  function takeResponse(interaction: Interaction, delivered: Delivered): boolean {
    // The application says by 202 that it answers, or has answered, by the callback.
    if (delivered?.status === 202) return true;
    if (delivered?.status !== 200) {
      const what = delivered === null ? 'could not be reached' : `answered with status ${delivered.status}`;
      if (interaction.state === 'waiting') note(interaction, `the endpoint ${what}.`);
      return false;
    }
    try {
      answers.accept(interaction, readBody(delivered));
      return true;
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      note(interaction, `${error.code} ${error.message}`, error);
      return false;
    }
  }

  /** Resolves when the answer is there, when there can be none any more, and when its time is over. */
  const wait = (interaction: Interaction, url: string, body: unknown) =>
    new Promise<void>((resolve, reject) => {
      const deadline = setTimeout(() => {
        if (interaction.state === 'waiting') note(interaction, `there was no answer within ${answerLimitMs} ms.`);
        resolve();
      }, answerLimitMs);
      const end = () => {
        clearTimeout(deadline);
        resolve();
      };
      interaction.onAnswered = end;
      mail
        .deliver({ url, body, userAgent: USER_AGENT, limitMs: answerLimitMs + CLOSING_MS })
        .then((delivered) => {
          if (!takeResponse(interaction, delivered)) end();
        })
        .catch(reject);
    });

  return {
    /** @returns whether it was answered */
    async hold(interaction: Interaction, payload: unknown): Promise<boolean> {
      const url = application.interactions_endpoint_url;
      if (url === null) note(interaction, 'the application has no interactions endpoint.');
      else await wait(interaction, url, payload);
      if (interaction.state !== 'waiting') return true;
      interaction.state = 'lapsed';
      return false;
    },
  };
}
export type Conversations = ReturnType<typeof createConversations>;
