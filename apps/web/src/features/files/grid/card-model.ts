import type { MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { KIB } from '@satchel/contract/limits';
import { extensionOf } from '@satchel/contract/naming';
import type { StillSource } from '../../lib/draw-still.ts';
import { canOpen, type FileItem, type FilePhase } from './file-model.ts';

/** What a click on a card does (§2, §4, DESIGN R12). */
export type CardAction = 'view' | 'download' | 'nothing';

type Clickable = Pick<FileItem, 'encrypted' | 'badge' | 'phase' | 'error' | 'opened'>;

/**
 * A plain file is downloaded. An encrypted one is looked at, and opened for it when it isn't yet; without a key, of a
 * foreign file, while a phase is active, and after a failure, for which there is Retry, the click does nothing.
 */
export function cardAction({ encrypted, badge, phase, error, opened }: Clickable): CardAction {
  if (phase !== 'none') return 'nothing';
  if (!encrypted) return 'download';
  if (!canOpen({ badge })) return 'nothing';
  return error && !opened ? 'nothing' : 'view';
}

/** Whether the card offers Retry instead of Download. */
export const offersRetry = ({ encrypted, badge, error }: Clickable): boolean =>
  encrypted && canOpen({ badge }) && error !== null;

type Busy = Exclude<FilePhase, 'none'>;

/** What is being done with a file, and how far it is. */
export function phaseText(phase: Busy, percent: number): string {
  if (phase === 'downloading') return t`Downloading ${percent}%`;
  return phase === 'decrypting' ? t`Decrypting ${percent}%` : t`Processing ${percent}%`;
}

/** The same as the name of the file's progress bar. */
export function phaseLabel(phase: Busy, name: string): string {
  if (phase === 'downloading') return t`Downloading ${name}`;
  return phase === 'decrypting' ? t`Decrypting ${name}` : t`Processing ${name}`;
}

const NO_EXTENSION: MessageDescriptor = msg({
  message: 'FILE',
  comment: 'stands where an extension such as PDF would',
});

/** The extension as a file's picture says it; null when there is none. */
export const extensionText = (name: string): string | null => extensionOf(name).slice(0, 5).toUpperCase() || null;

/** What stands in a file's picture: its extension, or that it is a file. */
export const pictureText = (name: string, translate: (text: MessageDescriptor) => string): string =>
  extensionText(name) ?? translate(NO_EXTENSION);

/** What to draw of a file without opening more of it than is open. */
export type Thumbnail =
  /** Small enough to be shown as it is. */
  { readonly tag: 'img'; readonly src: string } | { readonly tag: 'still'; readonly source: StillSource } | null;

type Drawable = Pick<FileItem, 'encrypted' | 'category' | 'opened' | 'url' | 'entry'>;

/** Larger pictures are drawn small once, or a screen of photographs would be decoded whole again and again. */
const SMALL_BYTES = 256 * KIB;

/** A plain picture as the server has it: it may be large, so only the pictures of common size are drawn unasked. */
export function thumbnailOf({ encrypted, category, opened, url, entry }: Drawable, plainMaxBytes: number): Thumbnail {
  if (category === 'default') return null;
  if (encrypted) return thumbnailOfOpened(opened);
  if (entry.metadata.size > plainMaxBytes) return null;
  return category === 'image' ? { tag: 'img', src: url } : null;
}

function thumbnailOfOpened(opened: FileItem['opened']): Thumbnail {
  if (!opened?.objectUrl) return null;
  const { objectUrl: src, type, blob } = opened;
  if (type.startsWith('video/')) return { tag: 'still', source: { kind: 'film', src } };
  if (!type.startsWith('image/')) return null;
  // An SVG is drawn by <img> alone (DESIGN-UX §8).
  if (blob === null || blob.size <= SMALL_BYTES || type === 'image/svg+xml') return { tag: 'img', src };
  return { tag: 'still', source: { kind: 'picture', src, blob } };
}

/** How long a film is: `0:03`, `1:02:45`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
