import { openChannel } from '../../lib/base/device.ts';

/** Tells the tabs of this browser that a person's act changed what the device remembers of a folder. */

const CHANNEL = 'satchel-keys';

/** `link`: there is a new link, and with it a new key; `pin`: what the folder is on this device. */
export type KeyChange = 'link' | 'pin';

interface News {
  readonly folderId: string;
  readonly change: KeyChange;
  readonly from: string;
}

const TAB = crypto.randomUUID();

export function tellKeyChange(folderId: string, change: KeyChange): void {
  const channel = openChannel(CHANNEL);
  channel?.postMessage({ folderId, change, from: TAB } satisfies News);
  channel?.close();
}

/**
 * Calls back until the returned function is called: after changes of the device's record of the folder, and after new
 * links of other tabs. A tab's own new link comes with the folder's facts, which know its token.
 */
export function followKeyChanges(folderId: string, listener: (change: KeyChange) => void): () => void {
  const channel = openChannel(CHANNEL);
  channel?.addEventListener('message', ({ data }: MessageEvent<News>) => {
    const isOwnLink = data.change === 'link' && data.from === TAB;
    if (data.folderId === folderId && !isOwnLink) listener(data.change);
  });
  return () => channel?.close();
}
