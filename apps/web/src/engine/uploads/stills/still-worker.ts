import { PICTURE_HEAD_BYTES, pictureSize } from '../../files/stills/picture-size.ts';
import { encodeStill } from './encode-still.ts';
import { PIXELS_MAX, STILL_BOUNDS } from './still-bounds.ts';
import type { StillOrder, StillReply } from './still-messages.ts';

/** Makes stills of pictures, one at a time. The page ends it when one takes too long, which gives its memory back. */

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;

async function makeStill(file: Blob): Promise<StillReply> {
  const size = pictureSize(new Uint8Array(await file.slice(0, PICTURE_HEAD_BYTES).arrayBuffer()));
  const pixels = size ? size.widthPx * size.heightPx : 0;
  if (pixels === 0 || pixels > PIXELS_MAX) return null;
  // Of an animation this is the first picture. As a photograph is to be looked at, not as it lies in the file.
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
  try {
    return await encodeStill({ image: bitmap, widthPx: bitmap.width, heightPx: bitmap.height }, STILL_BOUNDS);
  } finally {
    bitmap.close();
  }
}

scope.addEventListener('message', async ({ data }: MessageEvent<StillOrder>) => {
  scope.postMessage(await makeStill(data.file).catch(() => null));
});
