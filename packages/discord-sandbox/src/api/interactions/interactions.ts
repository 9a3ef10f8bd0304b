import { randomBytes } from 'node:crypto';
import type { InteractionResponseType, InteractionType } from 'discord-api-types/v10';
import type { MessageOrigin, StoredMessage } from '../world/messages.ts';
import type { Snowflakes } from '../world/snowflakes.ts';
import type { Room } from '../world/world.ts';

export const TOKEN_LIFE_MS = 15 * 60_000;

export interface NewInteraction {
  readonly type: InteractionType;
  readonly persona: string;
  readonly room: Room;
  /** By which installations: `authorizing_integration_owners`. */
  readonly owners: Readonly<Record<string, string>>;
  readonly commandName: string | null;
  /** The message that was clicked on, or whose button opened the modal. */
  readonly source: StoredMessage | null;
  /** Only this person sees the answer, with any flags of the application. */
  readonly isForcedEphemeral: boolean;
}

/** A person's act, and its answers, for as long as its token lives. */
export interface Interaction extends NewInteraction {
  readonly id: string;
  readonly token: string;
  readonly createdAt: number;
  isAnswered: boolean;
  answeredBy: InteractionResponseType | null;
  /** What `@original` means: the answer, or the message that was clicked on when it was that which changed. */
  original: StoredMessage | null;
}

export const originOf = ({ id, type, persona, owners, source }: Interaction): MessageOrigin => ({
  interactionId: id,
  interactionType: type,
  persona,
  owners,
  repliesTo: source?.id ?? null,
});

/** For how long it is still known that a token is over, rather than unknown. */
const KEPT_MS = 4 * TOKEN_LIFE_MS;

export function createInteractions({ now, newId }: { now: () => number; newId: Snowflakes }) {
  const byToken = new Map<string, Interaction>();

  function forgetOld() {
    for (const [token, { createdAt }] of byToken) {
      if (now() < createdAt + KEPT_MS) return;
      byToken.delete(token);
    }
  }
  const isOver = ({ createdAt }: Interaction) => now() >= createdAt + TOKEN_LIFE_MS;

  return {
    open(given: NewInteraction): Interaction {
      forgetOld();
      const id = newId();
      // Discord's tokens are this, too, and no promise: an opaque text of some 200 characters.
      const token = Buffer.from(`interaction:${id}:${randomBytes(96).toString('base64url')}`).toString('base64url');
      const interaction: Interaction = {
        ...given,
        id,
        token,
        createdAt: now(),
        isAnswered: false,
        answeredBy: null,
        original: null,
      };
      byToken.set(token, interaction);
      return interaction;
    },
    find: (token: string) => byToken.get(token),
    isOver,
  };
}
export type Interactions = ReturnType<typeof createInteractions>;
