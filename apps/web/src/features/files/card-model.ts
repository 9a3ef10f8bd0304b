import { extensionOf } from '@satchel/contract/naming';
import type { FileItem, FilePhase } from './file-model.ts';

/** What a click on a card does (§2, §4, DESIGN R12). */
export type CardAction = 'view' | 'download' | 'nothing';

type Clickable = Pick<FileItem, 'encrypted' | 'badge' | 'phase' | 'error' | 'opened'>;

/**
 * A plain file is downloaded. An encrypted one is looked at, and opened for it when it isn't yet; without a key, while a
 * phase is active, and after a failure, for which there is Retry, the click does nothing.
 */
export function cardAction({ encrypted, badge, phase, error, opened }: Clickable): CardAction {
  if (phase !== 'none') return 'nothing';
  if (!encrypted) return 'download';
  if (badge === 'none') return 'nothing';
  return error && !opened ? 'nothing' : 'view';
}

/** Whether the card offers Retry instead of Download. */
export const offersRetry = ({ encrypted, badge, error }: Clickable): boolean =>
  encrypted && badge !== 'none' && error !== null;

export const PHASE_TEXT: Readonly<Record<FilePhase, string>> = {
  none: '',
  downloading: 'Downloading',
  decrypting: 'Decrypting',
  processing: 'Processing',
};

/** The extension as a file's picture says it, `FILE` when there is none. */
export const extensionText = (name: string): string => extensionOf(name).slice(0, 5).toUpperCase() || 'FILE';

/** What to draw of a file without opening more of it than is open. */
export type Thumbnail = { readonly tag: 'img' | 'video'; readonly src: string } | null;

type Drawable = Pick<FileItem, 'encrypted' | 'category' | 'opened' | 'url' | 'entry'>;

/** A plain picture as the server has it: it may be large, so only the pictures of common size are drawn unasked. */
export function thumbnailOf({ encrypted, category, opened, url, entry }: Drawable, plainMaxBytes: number): Thumbnail {
  if (category === 'default') return null;
  if (encrypted) {
    if (!opened?.objectUrl) return null;
    if (opened.type.startsWith('image/')) return { tag: 'img', src: opened.objectUrl };
    return opened.type.startsWith('video/') ? { tag: 'video', src: opened.objectUrl } : null;
  }
  if (entry.metadata.size > plainMaxBytes) return null;
  return category === 'image' ? { tag: 'img', src: url } : null;
}
