/** What a browser sends with a private folder: right in shape, and easy to find again wherever it should not be. */
export const PRIVATE_KEY = {
  sealed_key: `sealed-key-canary_${'s'.repeat(105)}`,
  key_share: `key-share-canary_${'t'.repeat(26)}`,
};

export const hoursFromNow = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
