/**
 * Whether a canvas gives back what was drawn on it. Browsers that hide what could tell a device from others give noise in its
 * place (Firefox with resistFingerprinting, so Tor, Mullvad and LibreWolf): a still of it would be stripes for every visitor.
 */

const EDGE_PX = 16;
/** Some browsers change the lowest bits, which nobody sees. */
const TOLERANCE = 12;

/** The pattern's colour at a pixel. */
const colourAt = (x: number, y: number): readonly [red: number, green: number, blue: number] => [
  x * 16,
  y * 16,
  (x ^ y) * 16,
];

/** Whether the pixels show the pattern. @param rgba four bytes for each pixel */
export function isPattern(rgba: Uint8ClampedArray): boolean {
  if (rgba.length !== 4 * EDGE_PX * EDGE_PX) return false;
  return rgba.every((value, at) => {
    const pixel = at >> 2;
    const wanted = [...colourAt(pixel % EDGE_PX, Math.floor(pixel / EDGE_PX)), 255][at & 3] ?? 0;
    return Math.abs(value - wanted) <= TOLERANCE;
  });
}

/** Asked before each still: the person may allow it at any time. */
export function canvasTellsTruth(): boolean {
  const context = new OffscreenCanvas(EDGE_PX, EDGE_PX).getContext('2d', { willReadFrequently: true });
  if (!context) return false;
  for (let y = 0; y < EDGE_PX; y += 1) {
    for (let x = 0; x < EDGE_PX; x += 1) {
      context.fillStyle = `rgb(${colourAt(x, y).join()})`;
      context.fillRect(x, y, 1, 1);
    }
  }
  return isPattern(context.getImageData(0, 0, EDGE_PX, EDGE_PX).data);
}
