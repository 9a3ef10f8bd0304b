/** Packs numbers into bytes from the lowest bit up, as both GIF and WebP want them. */
export function createBitWriter() {
  const bytes: number[] = [];
  let pending = 0;
  let pendingBits = 0;

  return {
    write(value: number, bitCount: number) {
      for (let bit = 0; bit < bitCount; bit++) {
        pending |= ((value >> bit) & 1) << pendingBits;
        pendingBits += 1;
        if (pendingBits === 8) {
          bytes.push(pending);
          pending = 0;
          pendingBits = 0;
        }
      }
    },
    /** The bytes so far, the last one filled up with zeros. */
    finish(): Buffer {
      return Buffer.from(pendingBits === 0 ? bytes : [...bytes, pending]);
    },
  };
}
