/** A picture of few colours: one byte a pixel, which indexes a palette of 24-bit RGB values. */
export interface Raster {
  width: number;
  height: number;
  palette: readonly number[];
  pixels: Uint8Array;
}

/** Scales by nearest neighbour: the pictures are pixel art, and stay so. */
export function scaleRaster(source: Raster, width: number, height: number): Raster {
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const row = Math.floor((y * source.height) / height) * source.width;
    for (let x = 0; x < width; x++) {
      pixels[y * width + x] = source.pixels[row + Math.floor((x * source.width) / width)] ?? 0;
    }
  }
  return { width, height, palette: source.palette, pixels };
}

export function splitRgb(colour: number): [red: number, green: number, blue: number] {
  return [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255];
}
