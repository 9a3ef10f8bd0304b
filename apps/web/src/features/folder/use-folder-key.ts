import { type FolderKeys, importKeys } from '@satchel/container/key';
import type { FolderCompleteData } from '@satchel/contract/api';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { useEffect, useEffectEvent, useState } from 'react';
import { loadFolderKey } from '../../lib/folder-crypto.ts';
import { watchKeyExpiry } from '../../lib/key-store.ts';

export interface FolderKeyState {
  readonly loading: boolean;
  /** For opening files; null in a plain folder and when this page has no key. */
  readonly keys: FolderKeys | null;
  /** For sealing files; null when this key may not (CONTAINER §3 "Who may seal"). */
  readonly sealingKeys: FolderKeys | null;
  /** Link secret S, for the link to share. */
  readonly secret: Uint8Array<ArrayBuffer> | null;
  readonly error: AppError | null;
}

const NOTHING: FolderKeyState = { loading: false, keys: null, sealingKeys: null, secret: null, error: null };
const LOADING: FolderKeyState = { ...NOTHING, loading: true };

export interface FolderKeyInput {
  readonly folder: FolderCompleteData;
  readonly userId: string | null;
  /** The address's fragment, with or without its `#`. */
  readonly hash: string;
}

async function load(input: FolderKeyInput): Promise<FolderKeyState> {
  try {
    const { key, secret, maySeal, error } = await loadFolderKey(input);
    if (key === null) return { ...NOTHING, secret, error };
    const keys = await importKeys(key);
    return { loading: false, keys, sealingKeys: maySeal ? keys : null, secret, error };
  } catch (error) {
    return { ...NOTHING, error: toAppError(error, 'key.retrieval_failed') };
  }
}

/** The folder's key on this page; loaded again when the link, the person or the folder's key changes. */
export function useFolderKey(input: FolderKeyInput): FolderKeyState {
  const { folder, userId, hash } = input;
  const request = JSON.stringify([folder.folder_id, folder.temp_key_api_token, folder.folder_link_mode, userId, hash]);
  const [loaded, setLoaded] = useState<{ request: string; state: FolderKeyState } | null>(null);
  const start = useEffectEvent(() => load(input));
  useEffect(() => {
    let isCurrent = true;
    void start().then((state) => {
      if (isCurrent) setLoaded({ request, state });
    });
    return () => {
      isCurrent = false;
    };
  }, [request]);
  useEffect(() => {
    // Keys whose folders expired while no page of the site was open go now (CONTAINER §3).
    void watchKeyExpiry();
  }, []);
  if (folder.folder_link_mode === 'plain') return NOTHING;
  return loaded?.request === request ? loaded.state : LOADING;
}
