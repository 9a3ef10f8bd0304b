const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** Discord's ids: the time in their upper bits, each greater than the one before. */
export function createSnowflakes(now: () => number): () => string {
  let last = 0n;
  return () => {
    const id = BigInt(Math.max(0, now() - DISCORD_EPOCH_MS)) << 22n;
    last = id > last ? id : last + 1n;
    return String(last);
  };
}
export type Snowflakes = ReturnType<typeof createSnowflakes>;
