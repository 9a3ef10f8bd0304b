import type { NewLink } from '@satchel/client/keys/link-mode';
import type { FolderCompleteData } from '@satchel/contract/api';
import { useEffect, useEffectEvent } from 'react';
import { importWithTexts } from '../../lib/texts/import-with-texts.ts';

/**
 * Finishes a change of the link that an earlier page of this device has begun: its person wanted it. Until then the former link
 * is the folder's. Where it fails, the next page tries again, or the device has given it up because the server refused it.
 */
export function useUnfinishedLink(
  folder: FolderCompleteData,
  isUnfinished: boolean,
  onNewLink: (link: NewLink) => void,
): void {
  const finish = useEffectEvent(async () => {
    const { finishLink } = await importWithTexts('share', () => import('../../features/share/use-link-change.ts'));
    const link = await finishLink(folder);
    if (link !== null) onNewLink(link);
  });
  useEffect(() => {
    if (isUnfinished) finish().catch(() => console.warn('A change of the folder’s link could not be finished.'));
  }, [isUnfinished]);
}
