import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import type { FolderRow } from '../../domain/access/find-folder.ts';
import { guildRules, setGuildRules } from '../../domain/discord/guild-settings.ts';
import { DiscordCallError } from '../../platform/discord/discord-rest.ts';
import type { WaitingCard } from '../../platform/schema/bot.ts';
import type { BotDeps } from '../command.ts';
import { type Language, textsIn } from '../language.ts';
import { folderTitle } from '../wording.ts';

/** The lines of a server's log channel. The bot has no token of its own there: they are posted by a webhook of the channel. */
export const LOG_TEXTS = textsIn('log', {
  shared: '{person} shared **{name}** in {channel}.',
  tookDown: '{person} took the card of **{name}** down in {channel}.',
});

interface Line {
  readonly act: 'shared' | 'tookDown';
  readonly personId: string;
  readonly folder: FolderRow;
}

/** Writes a line where the server has a log channel. A failure changes nothing else; a webhook that is gone is forgotten. */
export async function logToGuild(
  deps: Pick<BotDeps, 'db' | 'rest' | 'replyTokens' | 'report'>,
  place: WaitingCard['place'],
  language: Language,
  { act, personId, folder }: Line,
): Promise<void> {
  if (place === null) return;
  try {
    const rules = await guildRules(deps, place.guild_id);
    if (!rules.log) return;
    const [person, channel] = [`<@${personId}>`, `<#${place.channel_id}>`];
    const line = LOG_TEXTS[language][act]({ person, channel, name: folderTitle(folder, language) });
    await deps.rest.post(rules.log, line).catch(async (error: unknown) => {
      const isGone = error instanceof DiscordCallError && error.code === RESTJSONErrorCodes.UnknownWebhook;
      if (!isGone) throw error;
      await setGuildRules(deps, place.guild_id, { ...rules, log: null });
    });
  } catch (error) {
    deps.report(error);
  }
}
