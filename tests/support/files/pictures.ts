import type { Page } from 'playwright-core';

/** Pictures as cameras make them, drawn by a browser: JPEG, with what cameras write before the picture. */

export interface PhotoLook {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Of the upper half of what is stored; the lower half is blue. */
  readonly colour?: string;
}

/** A JPEG of grain, too large to be opened unasked as a still would be. */
export async function makePhoto(page: Page, { widthPx, heightPx, colour = '#c81e1e' }: PhotoLook): Promise<Buffer> {
  const base64 = await page.evaluate(
    async ([width, height, upper]) => {
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext('2d');
      if (!context) throw new Error('no canvas');
      context.fillStyle = upper;
      context.fillRect(0, 0, width, height / 2);
      context.fillStyle = '#1e1ec8';
      context.fillRect(0, height / 2, width, height / 2);
      const picture = context.getImageData(0, 0, width, height);
      const { data } = picture;
      for (let at = 0; at < data.length; at += 4) {
        const grain = Math.random() * 60 - 30;
        for (let band = at; band < at + 3; band += 1) data[band] = (data[band] ?? 0) + grain;
      }
      context.putImageData(picture, 0, 0);
      const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
      const bytes = new Uint8Array(await blob.arrayBuffer());
      let text = '';
      for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
      return btoa(text);
    },
    [widthPx, heightPx, colour] as const,
  );
  return Buffer.from(base64, 'base64');
}

/**
 * The same JPEG as a camera that was held otherwise stores it: with an Exif segment that says how to turn it.
 * @param orientation 1 to 8; 6 means that its upper edge belongs to the right
 */
export function turned(jpeg: Buffer, orientation: number, maker = 'Canary Optics 7'): Buffer {
  const make = Buffer.from(`${maker}\0`, 'latin1');
  const tiff = Buffer.alloc(8 + 2 + 2 * 12 + 4);
  tiff.write('MM\0*', 0, 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(2, 8);
  // Make, as text behind the directory; orientation, as a short.
  tiff.writeUInt16BE(0x010f, 10);
  tiff.writeUInt16BE(2, 12);
  tiff.writeUInt32BE(make.length, 14);
  tiff.writeUInt32BE(tiff.length, 18);
  tiff.writeUInt16BE(0x0112, 22);
  tiff.writeUInt16BE(3, 24);
  tiff.writeUInt32BE(1, 26);
  tiff.writeUInt16BE(orientation, 30);
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, make]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(exif.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]);
}
