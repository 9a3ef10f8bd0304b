import type { Report } from '@satchel/contract/abuse';
import { useCallback, useEffect, useState } from 'react';
import { type OwnOperatorKey, ownOperatorKeys } from '../../lib/operator-key-store.ts';
import { openSealedKey } from '../../lib/report-sealing.ts';

/** The private keys of this browser; null as long as they are not read. */
export function useOwnKeys() {
  const [keys, setKeys] = useState<readonly OwnOperatorKey[] | null>(null);
  const reload = useCallback(() => void ownOperatorKeys().then(setKeys), []);
  useEffect(reload, [reload]);
  return [keys, reload] as const;
}

/** What of a report this browser can open. */
export interface SealedToMe {
  /** Opens the folder in another tab with the key that the reporter included; null where there is none for this browser. */
  readonly open: (() => void) | null;
  /** There is a key for other browsers only. */
  readonly isElsewhere: boolean;
  readonly failed: boolean;
}

/** The way from a report to its folder's files. */
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
