/** Small deterministic generator (mulberry32), for drawings that look random and stay the same. */
export function seeded(seed: string): () => number {
  let state = 2166136261;
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** `length` hexadecimal digits that look like ciphertext; drawn, never used as a secret. */
export function seededHex(seed: string, length: number): string {
  const next = seeded(seed);
  return Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join('');
}
