import { AppError } from '@satchel/contract/errors';
import { eq } from 'drizzle-orm';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { profiles } from '../../platform/database/schema.ts';
import { site_switches } from '../../platform/database/schema-site.ts';
import type { SignedInPerson } from '../../platform/discord/discord-oauth.ts';

/** Who may have an account: the people that the settings name, and no new ones while the site is closed. */

export interface AdmissionRules {
  /** Members of these Discord servers, and these accounts, may sign in; anyone when both are empty. */
  readonly admission: { readonly guildIds: readonly string[]; readonly discordIds: readonly string[] };
  readonly operatorDiscordIds: readonly string[];
}

const NEW_ACCOUNTS = 'new_accounts';

/** Checked at each sign-in, operators excepted. @throws auth.not_admitted */
export function requireAdmitted({ admission, operatorDiscordIds }: AdmissionRules, { user, guildIds }: SignedInPerson) {
  const allowed = [...admission.discordIds, ...admission.guildIds];
  const own = [user.discord_id, ...guildIds];
  const isAllowed = allowed.length === 0 || operatorDiscordIds.includes(user.discord_id);
  if (!isAllowed && !own.some((id) => allowed.includes(id))) throw new AppError('auth.not_admitted');
}

/** True while operators let in no new accounts. */
export async function isClosed(db: Queryable): Promise<boolean> {
  const [row] = await db.select().from(site_switches).where(eq(site_switches.name, NEW_ACCOUNTS));
  return row?.is_off ?? false;
}

/** Closes the site to new accounts, or opens it; for every node, and across restarts. */
export async function setClosed(tx: Tx, is_off: boolean): Promise<void> {
  await tx
    .insert(site_switches)
    .values({ name: NEW_ACCOUNTS, is_off })
    .onConflictDoUpdate({ target: site_switches.name, set: { is_off } });
}

/** @throws auth.closed for a person without an account while the site is closed, operators excepted */
export async function requireOpenDoor(
  tx: Tx,
  { operatorDiscordIds }: Pick<AdmissionRules, 'operatorDiscordIds'>,
  discordId: string,
): Promise<void> {
  if (operatorDiscordIds.includes(discordId) || !(await isClosed(tx))) return;
  const [known] = await tx.select({ id: profiles.id }).from(profiles).where(eq(profiles.discord_id, discordId));
  if (!known) throw new AppError('auth.closed');
}
