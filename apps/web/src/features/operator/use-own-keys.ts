import type { Report } from '@satchel/contract/abuse';
import { useCallback, useEffect, useState } from 'react';
import { type OwnOperatorKey, ownOperatorKeys } from '../../engine/reports/operator-key-store.ts';
import { openSealedKey } from '../../engine/reports/report-sealing.ts';

/** The private keys of this browser; null until they are read. */
export function useOwnKeys() {
  const [keys, setKeys] = useState<readonly OwnOperatorKey[] | null>(null);
  const reload = useCallback(() => void ownOperatorKeys().then(setKeys), []);
  useEffect(reload, [reload]);
  return [keys, reload] as const;
}

/** The parts of a report that this browser can open. */
export interface SealedToMe {
  /** Opens the folder in another tab with the reporter's key; null if this browser can't open that key. */
  readonly open: (() => void) | null;
  /** The key is sealed for other browsers only. */
  readonly isElsewhere: boolean;
  readonly failed: boolean;
}

/** Opens a report's folder. */
export function useSealed(keys: readonly OwnOperatorKey[] | null) {
  const [failedId, setFailedId] = useState<string | null>(null);
  return ({ id, folder_slug: slug, sealed_keys }: Report): SealedToMe => {
    const own = keys?.find((key) => sealed_keys.some(({ operator_key_id }) => operator_key_id === key.id));
    const entry = sealed_keys.find(({ operator_key_id }) => operator_key_id === own?.id);
    const open = async (sealed: string, { privateKey }: OwnOperatorKey) => {
      setFailedId(null);
      try {
        const key = await openSealedKey(slug, sealed, privateKey);
        window.open(`/f/${slug}#${key}`, '_blank', 'noopener,noreferrer');
      } catch {
        setFailedId(id);
      }
    };
    return {
      open: own && entry ? () => void open(entry.sealed, own) : null,
      isElsewhere: keys !== null && sealed_keys.length > 0 && !own,
      failed: failedId === id,
    };
  };
}
