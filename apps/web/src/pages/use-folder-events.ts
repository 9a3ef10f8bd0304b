import type { Role } from '@satchel/contract/roles';
import { useCallback, useEffect } from 'react';
import { recordFolderEvent, whenSeen } from '../lib/folder-events.ts';

/**
 * Tells the server of this visit, once the folder has rendered and somebody looks at it, and of downloads (DESIGN R7).
 * The owner's own don't count, which the server sees to as well.
 * @returns to be called when a file has been saved, by its stored name, or a zip: null
 */
export function useFolderEvents(slug: string, role: Role) {
  const isCounted = role !== 'owner';
  useEffect(
    () => (isCounted ? whenSeen(document, () => recordFolderEvent({ folder_slug: slug, kind: 'view' })) : undefined),
    [slug, isCounted],
  );
  return useCallback(
    (object: string | null) => {
      if (isCounted) recordFolderEvent({ folder_slug: slug, kind: 'download', object });
    },
    [slug, isCounted],
  );
}
