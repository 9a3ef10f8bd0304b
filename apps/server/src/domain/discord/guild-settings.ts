import { eq } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/db.ts';
import type { TextSealer } from '../../platform/keys/text-sealer.ts';
import { guild_settings } from '../../platform/schema/bot.ts';

/**
 * The rules of a Discord server, which its managers set by /settings. The bot checks their permission at each command, since nothing
 * tells it who has lost it.
 */

type Row = typeof guild_settings.$inferSelect;
export type GuildRules = Omit<Row, 'guild_id' | 'log_webhook'> & { readonly log: Webhook | null };

/** A channel's webhook, by which the log gets its lines. */
export interface Webhook {
  readonly id: string;
  readonly token: string;
}

interface Deps {
  readonly db: Queryable;
  /** Seals the webhook, which lets anyone who has it post into its channel. */
  readonly replyTokens: TextSealer;
}

const NO_RULES: GuildRules = {
  link_mode: null,
  lifetime_hours: null,
  members_only: false,
  channel_ids: [],
  log: null,
};

function toWebhook(text: string | null): Webhook | null {
  const [id, token] = text?.split('/') ?? [];
  return id && token ? { id, token } : null;
}

/** @param guildId null outside of servers, where no rules hold */
export async function guildRules({ db, replyTokens }: Deps, guildId: string | null): Promise<GuildRules> {
  if (guildId === null) return NO_RULES;
  const [row] = await db.select().from(guild_settings).where(eq(guild_settings.guild_id, guildId));
  if (!row) return NO_RULES;
  const { guild_id, log_webhook, ...rules } = row;
  return { ...rules, log: toWebhook(log_webhook && replyTokens.open(log_webhook, guild_id)) };
}

/** Replaces the rules of a server; rules that say nothing leave no row. */
export async function setGuildRules({ db, replyTokens }: Deps, guildId: string, rules: GuildRules): Promise<void> {
  const { log, ...rest } = rules;
  const isEmpty =
    log === null && !rest.members_only && !rest.link_mode && !rest.lifetime_hours && rest.channel_ids.length === 0;
  if (isEmpty) {
    await db.delete(guild_settings).where(eq(guild_settings.guild_id, guildId));
    return;
  }
  const values = { ...rest, log_webhook: log && replyTokens.seal(`${log.id}/${log.token}`, guildId) };
  await db
    .insert(guild_settings)
    .values({ guild_id: guildId, ...values })
    .onConflictDoUpdate({ target: guild_settings.guild_id, set: values });
}
