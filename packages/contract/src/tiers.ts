import type { TierLimits } from './entities.ts';

/** Limits by the name of a tier (profiles.subscription_tier); `free` is always there. */
export type Tiers = Readonly<Record<string, TierLimits>> & { readonly free: TierLimits };

/**
 * What an account may do. A tier that is no longer in the settings counts as free.
 * @param tier the profile's subscription_tier
 */
export const limitsOf = (tiers: Tiers, tier: string): TierLimits =>
  Object.hasOwn(tiers, tier) ? (tiers[tier] ?? tiers.free) : tiers.free;

/** The longest life that a folder of any account may have, in hours. */
export const longestLifeHours = (tiers: Tiers): number =>
  Math.max(...Object.values(tiers).map(({ folder_lifetime_hours }) => folder_lifetime_hours));
