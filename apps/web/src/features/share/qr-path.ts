import { encode } from 'uqr';

/** Light modules around the code, which readers need to find it (ISO/IEC 18004). */
export const QUIET_MODULES = 4;

export interface QrPath {
  /** SVG path of the dark modules, one unit each. */
  readonly path: string;
  /** Modules on each side, including the quiet zone. */
  readonly size: number;
}

/** Draws `text` as a QR code. Screens are clean and flat, so the lowest error correction allows the largest modules. */
export function qrPath(text: string): QrPath {
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_MODULES });
  const runs = data.flatMap((row, y) => {
    const starts = row.flatMap((dark, x) => (dark && !row[x - 1] ? [x] : []));
    return starts.map((x) => {
      const end = row.indexOf(false, x);
      return `M${x} ${y}h${end - x}v1h${x - end}z`;
    });
  });
  return { path: runs.join(''), size };
}
