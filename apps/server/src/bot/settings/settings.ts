import { NewLinkMode } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { type GuildRules, guildRules, setGuildRules, type Webhook } from '../../domain/discord/guild-settings.ts';
import { DiscordCallError } from '../../platform/discord/discord-rest.ts';
import { inPrivate } from '../answers.ts';
import type { BotDeps, Command } from '../command.ts';
import { lifetimeText, openerText } from '../definitions.ts';
import type { Call } from '../interaction.ts';
import { type Language, textsIn } from '../language.ts';
import { listText } from '../share/share-texts.ts';

/**
 * /settings: the rules of a Discord server, for its managers. An option changes one rule, and the answer has them all. Discord
 * hides the command from others; the permission is checked here, too.
 */

export const SETTINGS_TEXTS = textsIn('settings', {
  title: '**Rules of this server**',
  opener: 'Who can open a new folder: {who}',
  anyOpener: 'as each person answered last',
  life: 'A folder lives for at most: {hours}',
  anyLife: 'what the site allows',
  members: '`/share` lets in: {who}',
  onlyMembers: 'members of this server',
  anyone: 'everyone, or only the person that `with` names',
  channels: '`/share` posts in: {channels}',
  anyChannel: 'every channel',
  log: 'Log: {where}',
  logOn: 'by a webhook',
  logOff: 'none',
  logTest: 'Satchel writes here what is shared and taken down in this server.',
  noServer: '`/settings` works in servers only.',
  notAllowed: 'Only people who may manage this server change its settings.',
  badWebhook: 'Discord doesn’t take this webhook. Copy its address from the settings of the log channel.',
  tooMany: '`/share` can be limited to at most {max} channels.',
});

const CHANNELS_MAX = 25;
const HOURS_MAX = 24 * 365;
/** Takes the log channel away. */
const OFF = 'off';
/** The address of a channel's webhook; only its id and its token are used. */
const WEBHOOK = /\/webhooks\/(\d{1,20})\/([\w-]{1,200})\/?$/;

function rulesText(rules: GuildRules, language: Language): string {
  const texts = SETTINGS_TEXTS[language];
  const { link_mode, lifetime_hours, members_only, channel_ids, log } = rules;
  const channels = channel_ids.map((id) => `<#${id}>`);
  return [
    texts.title,
    texts.opener({ who: link_mode ? openerText(link_mode, language) : texts.anyOpener }),
    texts.life({ hours: lifetime_hours ? lifetimeText(lifetime_hours, language) : texts.anyLife }),
    texts.members({ who: members_only ? texts.onlyMembers : texts.anyone }),
    texts.channels({ channels: channels.length > 0 ? listText(channels, language) : texts.anyChannel }),
    texts.log({ where: log ? texts.logOn : texts.logOff }),
  ].join('\n');
}

const invalid = (option: string) => new AppError('request.invalid', { message: option });

/** Null for an option that takes the rule away. @throws request.invalid */
function modeOf(value: unknown): NewLinkMode | null {
  const mode = NewLinkMode.safeParse(value);
  if (mode.success) return mode.data;
  if (value === OFF) return null;
  throw invalid('who_opens');
}

/** @throws request.invalid */
function hoursOf(value: unknown): number | null {
  if (typeof value !== 'number' || !(value >= 0 && value <= HOURS_MAX)) throw invalid('longest_life');
  return value || null;
}

function channelsOf({ channel_ids }: GuildRules, here: string | null, isAllowed: boolean): string[] {
  const others = channel_ids.filter((id) => id !== here);
  return isAllowed && here !== null ? [...others, here] : others;
}

/** The webhook of an address, once it has taken a line; null when Discord doesn't know it. */
async function webhookOf({ rest }: BotDeps, address: string, firstLine: string): Promise<Webhook | null> {
  const [, id, token] = WEBHOOK.exec(address) ?? [];
  if (!id || !token) return null;
  try {
    await rest.post({ id, token }, firstLine);
    return { id, token };
  } catch (error) {
    if (error instanceof DiscordCallError) return null;
    throw error;
  }
}

/** The rules as the options change them, or why they don't. */
async function changed(deps: BotDeps, call: Call, rules: GuildRules): Promise<GuildRules | string> {
  const { options, channel_id, language } = call;
  const { who_opens, longest_life, members_only, share_here, log_webhook } = options;
  const texts = SETTINGS_TEXTS[language];
  const next = {
    ...rules,
    ...(who_opens !== undefined && { link_mode: modeOf(who_opens) }),
    ...(longest_life !== undefined && { lifetime_hours: hoursOf(longest_life) }),
    ...(members_only !== undefined && { members_only: members_only === true }),
    ...(share_here !== undefined && { channel_ids: channelsOf(rules, channel_id, share_here === true) }),
  };
  if (next.channel_ids.length > CHANNELS_MAX) return texts.tooMany({ max: CHANNELS_MAX });
  if (log_webhook === undefined) return next;
  if (log_webhook === OFF) return { ...next, log: null };
  const log = await webhookOf(deps, String(log_webhook), texts.logTest);
  return log ? { ...next, log } : texts.badWebhook;
}

export const settingsCommand: Command = {
  name: 'settings',
  async run(deps, call) {
    const { guild_id, isManager, language, options } = call;
    const texts = SETTINGS_TEXTS[language];
    if (guild_id === null) return inPrivate(texts.noServer);
    if (!isManager) return inPrivate(texts.notAllowed);
    const rules = await guildRules(deps, guild_id);
    const next = await changed(deps, call, rules);
    if (typeof next === 'string') return inPrivate(next);
    if (Object.keys(options).length > 0) await setGuildRules(deps, guild_id, next);
    return inPrivate(rulesText(next, language));
  },
};
