import { AppError } from '@satchel/contract/errors';
import type { WebSettings } from '@satchel/contract/wire/web-settings';
import { eq } from 'drizzle-orm';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import type { SignedInPerson } from '../../platform/discord/discord-oauth.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { site_switches } from '../../platform/schema/site.ts';

/** Who may have an account: the people that the settings name, and no new ones while the site is closed. */

export interface AdmissionRules {
  /** Members of these Discord servers, and these accounts, may sign in; anyone when both are empty. */
  readonly admission: { readonly guildIds: readonly string[]; readonly discordIds: readonly string[] };
  readonly operatorDiscordIds: readonly string[];
}

const NEW_ACCOUNTS = 'new_accounts';

/** What the sign-in page says of the rules. */
export function admittedBy({ admission }: Pick<AdmissionRules, 'admission'>): WebSettings['admits'] {
  if (admission.guildIds.length > 0) return 'members';
  return admission.discordIds.length > 0 ? 'accounts' : 'anyone';
}

/** Checked at each sign-in, operators excepted. @throws auth.not_admitted, auth.account_not_admitted */
export function requireAdmitted(rules: AdmissionRules, { user, guildIds }: SignedInPerson): void {
  const by = admittedBy(rules);
  const { admission, operatorDiscordIds } = rules;
  if (by === 'anyone' || [...operatorDiscordIds, ...admission.discordIds].includes(user.discord_id)) return;
  if (guildIds.some((id) => admission.guildIds.includes(id))) return;
  throw new AppError(by === 'members' ? 'auth.not_admitted' : 'auth.account_not_admitted');
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
