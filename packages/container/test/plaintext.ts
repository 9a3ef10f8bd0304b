/** The plaintext of every vector: `size` bytes, byte i being (31 i + 7 ⌊i / 256⌋ + 11 ⌊i / 65536⌋ + 5) mod 256. */
export function plaintextOf(size: number): Buffer {
  const out = Buffer.alloc(size);
  for (let i = 0; i < size; i++) out[i] = 31 * i + 7 * (i >>> 8) + 11 * (i >>> 16) + 5;
  return out;
}
