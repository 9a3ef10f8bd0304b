import type { TierInput } from '@satchel/contract/abuse';
import { AppError } from '@satchel/contract/errors';
import type { Tiers } from '@satchel/contract/tiers';
import { eq } from 'drizzle-orm';
import { type Db, inTransaction } from '../../platform/database/db.ts';
import { profiles } from '../../platform/schema/accounts.ts';
import { type Operator, recordAct } from './audit-log.ts';

/**
 * Gives an account another tier of the settings. Its stored files stay, also beyond the limits of a smaller tier.
 * @throws request.invalid for a tier that the settings do not have, request.not_found for a person without an account
 */
export async function setTier(
  { db, tiers }: { db: Db; tiers: Tiers },
  operator: Operator,
  { discord_id, subscription_tier }: TierInput,
): Promise<void> {
  if (!Object.hasOwn(tiers, subscription_tier)) {
    throw new AppError('request.invalid', { message: 'subscription_tier: the settings have no such tier' });
  }
  await inTransaction(db, async (tx) => {
    const [changed] = await tx
      .update(profiles)
      .set({ subscription_tier })
      .where(eq(profiles.discord_id, discord_id))
      .returning({ id: profiles.id });
    if (!changed) throw new AppError('request.not_found');
    await recordAct(tx, operator, { act: 'tier', target: discord_id, detail: subscription_tier });
  });
}
