import type { MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { KIB } from '@satchel/contract/limits';
import { extensionOf } from '@satchel/contract/naming';
import { canOpen, type FileItem, type FilePhase } from '../../../engine/files/file-model.ts';
import type { StillSource } from '../../../engine/files/stills/draw-still.ts';
import type { DrawingSource } from '../../../engine/files/weigh-drawing.ts';

type Clickable = Pick<FileItem, 'encrypted' | 'badge' | 'phase' | 'error' | 'opened'>;

/**
 * Whether a click on a card views its file, and opens an encrypted one first if needed; while it opens, the viewer shows how far
 * that is. A plain file is viewed, too, and not downloaded: a visitor does not know which kind of folder a link leads to. Without a key,
 * for a foreign file, and after a failure (which has a Retry button), the click does nothing.
 */
export const isViewable = ({ encrypted, badge, phase, error, opened }: Clickable): boolean =>
  canOpen({ badge }) && !(encrypted && phase === 'none' && error && !opened);

/** Whether the card shows Retry instead of Download: the file has failed, or stands still. */
export const offersRetry = ({ encrypted, badge, phase, error }: Clickable): boolean =>
  encrypted && canOpen({ badge }) && (error !== null || phase === 'waiting');

type Busy = Exclude<FilePhase, 'none'>;

/** The running action on a file, and its progress. */
export function phaseText(phase: Busy, percent: number): string {
  if (phase === 'waiting') return t`Waiting for the server`;
  if (phase === 'downloading') return t`Downloading ${percent}%`;
  return phase === 'decrypting' ? t`Decrypting ${percent}%` : t`Processing ${percent}%`;
}

/** Label of the file's progress bar. */
export function phaseLabel(phase: Busy, name: string): string {
  if (phase === 'waiting') return t`Waiting for the server: ${name}`;
  if (phase === 'downloading') return t`Downloading ${name}`;
  return phase === 'decrypting' ? t`Decrypting ${name}` : t`Processing ${name}`;
}

const NO_EXTENSION: MessageDescriptor = msg({
  message: 'FILE',
  comment: 'stands where an extension such as PDF would',
});

/** The extension shown in a file's picture; null when there is none. */
export const extensionText = (name: string): string | null => extensionOf(name).slice(0, 5).toUpperCase() || null;

/** Text in a file's picture: its extension, or "file". */
export const pictureText = (name: string, translate: (text: MessageDescriptor) => string): string =>
  extensionText(name) ?? translate(NO_EXTENSION);

/** The picture to show, without opening more of the file than is open already. */
export type Thumbnail =
  /** Small enough to be shown unscaled. */
  | { readonly tag: 'img'; readonly src: string }
  | { readonly tag: 'still'; readonly source: StillSource }
  /** Drawn once it has been weighed. */
  | { readonly tag: 'drawing'; readonly source: DrawingSource }
  | null;

type Drawable = Pick<FileItem, 'encrypted' | 'category' | 'opened' | 'url' | 'entry' | 'still' | 'sizeBytes'>;

const DRAWING_TYPE = 'image/svg+xml';
/** Larger pictures are scaled down once; otherwise a screen of photographs would be decoded again and again. */
const SMALL_BYTES = 256 * KIB;

/** A plain picture on the server: it may be large, so only small ones load on their own, and none that has a still. */
export function thumbnailOf(file: Drawable, plainMaxBytes: number): Thumbnail {
  const { encrypted, category, opened, url, entry, still, sizeBytes } = file;
  if (category === 'default' || sizeBytes === 0) return null;
  if (encrypted) return thumbnailOfOpened(opened);
  if (still !== null || entry.metadata.size > plainMaxBytes) return null;
  if (category !== 'image') return null;
  const isDrawing = extensionOf(entry.name) === 'svg' || entry.metadata.mimetype.startsWith(DRAWING_TYPE);
  return isDrawing ? { tag: 'drawing', source: { src: url, blob: null } } : { tag: 'img', src: url };
}

function thumbnailOfOpened(opened: FileItem['opened']): Thumbnail {
  if (!opened?.objectUrl) return null;
  const { objectUrl: src, type, blob } = opened;
  if (type.startsWith('video/')) return { tag: 'still', source: { kind: 'film', src } };
  if (!type.startsWith('image/')) return null;
  // Only <img> draws an SVG.
  if (type === DRAWING_TYPE) return { tag: 'drawing', source: { src, blob } };
  if (blob === null || blob.size <= SMALL_BYTES) return { tag: 'img', src };
  return { tag: 'still', source: { kind: 'picture', src, blob } };
}

/** Duration of a video: `0:03`, `1:02:45`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** How a card shows any picture of its file. */
export const PICTURE_LOOK =
  'size-full object-cover transition-transform duration-300 ease-out motion-safe:group-hover/card:scale-[1.03]';
