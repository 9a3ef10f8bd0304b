export interface FrameOptions {
  readonly isFinal?: boolean;
  readonly reserved?: number;
  readonly isMasked?: boolean;
  readonly mask?: readonly number[];
}

/** A client's frame, made as RFC 6455 §5.2 draws it. */
export function clientFrame(opcode: number, payload: Uint8Array, options: FrameOptions = {}): Buffer {
  const { isFinal = true, reserved = 0, isMasked = true, mask = [1, 2, 3, 4] } = options;
  const { length } = payload;
  const size = length < 126 ? Buffer.from([length]) : Buffer.alloc(length < 65_536 ? 3 : 9);
  if (length >= 65_536) size.writeBigUInt64BE(BigInt(length), 1);
  else if (length >= 126) size.writeUInt16BE(length, 1);
  if (length >= 126) size[0] = length < 65_536 ? 126 : 127;
  if (isMasked) size[0]! |= 0x80;
  const masked = payload.map((byte, at) => (isMasked ? byte ^ mask[at & 3]! : byte));
  return Buffer.concat([
    Buffer.from([(isFinal ? 0x80 : 0) | reserved | opcode]),
    size,
    Buffer.from(isMasked ? mask : []),
    masked,
  ]);
}
