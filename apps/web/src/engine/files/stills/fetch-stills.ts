import { openStill } from '@satchel/container/still';
import type { StillInput } from '@satchel/contract/api';
import { fromWire } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { readStills, type StillSize } from '@satchel/contract/wire/still-frames';
import { pictureSize } from './picture-size.ts';
import type { StillRef, StillRequest } from './still-ref.ts';

/** Fetches a screenful of stills and opens them as they come. */

type Bytes = Uint8Array<ArrayBuffer>;

/** A sealer may have sealed anything. No still of ours is larger, so no decoder has to try. */
const EDGE_MAX_PX: Readonly<Record<StillSize, number>> = { small: 96, large: 480 };

const startsWith = (bytes: Bytes, at: number, text: string): boolean =>
  [...text].every((character, place) => bytes[at + place] === character.charCodeAt(0));

/** The type of a still by its first bytes, not by its stored type; null for anything but WebP and JPEG. */
function stillType(bytes: Bytes): 'image/webp' | 'image/jpeg' | null {
  if (startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBP')) return 'image/webp';
  return startsWith(bytes, 0, '\xff\xd8\xff') ? 'image/jpeg' : null;
}

/** A picture that may be shown as a still of this size; null for any other bytes. */
export function stillPicture(bytes: Bytes, size: StillSize): Blob | null {
  const type = stillType(bytes);
  const edges = type && pictureSize(bytes);
  if (!edges || Math.max(edges.widthPx, edges.heightPx) > EDGE_MAX_PX[size]) return null;
  return new Blob([bytes], { type });
}

async function opened(bytes: Bytes, size: StillSize, { name: storedName, seal }: StillRef): Promise<Blob | null> {
  if (!seal) return stillPicture(bytes, size);
  const { keys, header } = seal;
  const still = await openStill(keys, { size, bytes }, { storedName, header }).catch(() => null);
  return still && stillPicture(still, size);
}

/**
 * Asks for stills of one folder and one size.
 * @param onStill called for each as it comes; null where there is none, or none that opens
 * @throws AppError what the server said; what fetch throws
 */
export async function fetchStills(
  { place: { bucket, storagePath }, size, refs }: StillRequest,
  onStill: (ref: StillRef, still: Blob | null) => void,
): Promise<void> {
  const input: StillInput = { prefix: storagePath, names: refs.map(({ name }) => name), size };
  const response = await fetch(`${PATHS.still}/${encodeURIComponent(bucket)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
    credentials: 'same-origin',
  });
  if (!response.ok || !response.body) {
    throw fromWire(await response.json().catch(() => null)) ?? new Error(`${response.status}`);
  }
  const answers = readStills(response.body, size);
  for (const ref of refs) {
    const { value, done } = await answers.next();
    if (done) throw new TypeError('stills are missing');
    onStill(ref, value && (await opened(value, size, ref)));
  }
  await answers.return();
}
