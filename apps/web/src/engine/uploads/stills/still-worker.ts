import { blobReader } from '@satchel/client/open/read-range';
import { canvasTellsTruth } from '../../files/stills/canvas-truth.ts';
import { PICTURE_HEAD_BYTES, pictureSize } from '../../files/stills/picture-size.ts';
import { encodeStill } from './encode-still.ts';
import { beginsAsPdf, PDF_HEAD_BYTES } from './pdf-page-size.ts';
import { PIXELS_MAX } from './still-bounds.ts';
import type { StillOrder, StillReply } from './still-messages.ts';

/**
 * Makes stills of pictures, PDFs and sounds, one at a time. The page ends it when one takes too long, which gives its memory back.
 */

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;

const headOf = async (file: Blob, bytes: number) => new Uint8Array(await file.slice(0, bytes).arrayBuffer());

async function makePictureStill(file: Blob): Promise<StillReply> {
  const size = pictureSize(await headOf(file, PICTURE_HEAD_BYTES));
  const pixels = size ? size.widthPx * size.heightPx : 0;
  if (pixels === 0 || pixels > PIXELS_MAX) return null;
  // Of an animation this is the first picture. As a photograph is to be looked at, not as it lies in the file.
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
  try {
    return await encodeStill({ image: bitmap, widthPx: bitmap.width, heightPx: bitmap.height });
  } finally {
    bitmap.close();
  }
}

async function makePdfStill(file: Blob): Promise<StillReply> {
  if (!beginsAsPdf(await headOf(file, PDF_HEAD_BYTES))) return null;
  const { drawFirstPage } = await import('./pdf-page.ts');
  return encodeStill(await drawFirstPage(file));
}

async function makeSoundStill(file: Blob): Promise<StillReply> {
  const { readAudioTags } = await import('../../files/content/audio-tags.ts');
  const { cover } = await readAudioTags(blobReader(file), file.size);
  return cover && makePictureStill(cover);
}

const MAKERS = { picture: makePictureStill, pdf: makePdfStill, sound: makeSoundStill };

const makeStill = async ({ kind, file }: StillOrder): Promise<StillReply> =>
  canvasTellsTruth() ? MAKERS[kind](file) : null;

scope.addEventListener('message', async ({ data, ports: [reply] }: MessageEvent<StillOrder>) => {
  reply?.postMessage(await makeStill(data).catch(() => null));
});
