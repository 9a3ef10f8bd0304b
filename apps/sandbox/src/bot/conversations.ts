import type { Answers } from './answers.ts';
import type { Application } from './application.ts';
import { DiscordError } from './discord-error.ts';
import type { Delivered, Mail } from './endpoint.ts';
import type { Interaction } from './interactions.ts';
import type { Problems } from './problems.ts';

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
    throw new DiscordError(400, 50_109, 'The request body contains invalid JSON.');
  }
}

/** Brings interactions to the application and waits for its first answer, three seconds at most. */
export function createConversations({ application, mail, answers, problems, answerLimitMs }: ConversationsDeps) {
  const note = (interaction: Interaction, text: string, error?: DiscordError) =>
    problems.note(`${interaction.commandName ?? `interaction of type ${interaction.type}`}: ${text}`, error?.errors);

  /** @returns whether there is still an answer to wait for */
  function takeResponse(interaction: Interaction, delivered: Delivered): boolean {
    if (delivered === null) {
      if (interaction.state === 'waiting') note(interaction, 'the endpoint could not be reached, or was too slow.');
      return false;
    }
    // The application says by it that it answers, or has answered, by the callback.
    if (delivered.status === 202) return true;
    if (delivered.status !== 200) {
      note(interaction, `the endpoint answered with status ${delivered.status}.`);
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

  return {
    /** @returns whether it was answered */
    async hold(interaction: Interaction, payload: unknown): Promise<boolean> {
      const url = application.interactions_endpoint_url;
      if (url === null) {
        note(interaction, 'the application has no interactions endpoint.');
        interaction.state = 'lapsed';
        return false;
      }
      await new Promise<void>((resolve) => {
        interaction.onAnswered = resolve;
        const deadline = setTimeout(resolve, answerLimitMs);
        mail
          .deliver({ url, body: payload, userAgent: USER_AGENT, limitMs: answerLimitMs })
          .then((delivered) => {
            if (!takeResponse(interaction, delivered)) resolve();
            else if (interaction.state === 'answered') clearTimeout(deadline);
          })
          .catch(resolve);
      });
      if (interaction.state !== 'waiting') return true;
      interaction.state = 'lapsed';
      return false;
    },
  };
}
export type Conversations = ReturnType<typeof createConversations>;
