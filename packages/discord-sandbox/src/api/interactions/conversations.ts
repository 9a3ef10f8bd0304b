import { DiscordError, unreadableBody } from '../discord-error.ts';
import type { Problems } from '../problems.ts';
import type { Application } from '../world/application.ts';
import type { Answers } from './answers.ts';
import type { Delivered, Mail } from './endpoint.ts';
import type { Interaction } from './interactions.ts';

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

/** Brings interactions to the application and waits for its answer, three seconds at most. */
export function createConversations({ application, mail, answers, problems, answerLimitMs }: ConversationsDeps) {
  const note = (interaction: Interaction, text: string, error?: DiscordError) =>
    problems.note(`${interaction.commandName ?? `interaction of type ${interaction.type}`}: ${text}`, error?.errors);

  function take(interaction: Interaction, delivered: Delivered): void {
    if (delivered?.status !== 200) {
      const late = `there was no answer within ${answerLimitMs} ms.`;
      note(interaction, delivered ? `the endpoint answered with status ${delivered.status}.` : late);
      return;
    }
    try {
      answers.accept(interaction, readBody(delivered));
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      note(interaction, `${error.code} ${error.message}`, error);
    }
  }

  return {
    /** @returns whether it was answered */
    async hold(interaction: Interaction, payload: unknown): Promise<boolean> {
      const url = application.interactions_endpoint_url;
      if (url === null) note(interaction, 'the application has no interactions endpoint.');
      else {
        take(interaction, await mail.deliver({ url, body: payload, userAgent: USER_AGENT, limitMs: answerLimitMs }));
      }
      return interaction.isAnswered;
    },
  };
}
export type Conversations = ReturnType<typeof createConversations>;
