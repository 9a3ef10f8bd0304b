import type { FolderKeys } from '@satchel/container/key';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { useEffect, useEffectEvent, useState } from 'react';
import type { FolderKeyRequest, LoadedFolderKey } from '../../lib/folder-crypto.ts';
import { fragmentKind } from '../../lib/link-parts.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** @throws AppError key.wrong_passphrase and its like; the signal's reason */
export type Unlock = (passphrase: string, signal: AbortSignal) => Promise<void>;

export interface FolderKeyState {
  readonly loading: boolean;
  /** For opening files; null in a plain folder and when this page has no key. */
  readonly keys: FolderKeys | null;
  /** For sealing files; null when this key may not (CONTAINER §3 "Who may seal"). */
  readonly sealingKeys: FolderKeys | null;
  /** The folder key itself, for making other links (lib/link-mode); null when it may not seal. */
  readonly sealingKey: Bytes | null;
  /** The folder key itself, to hand on; null where there is none. */
  readonly key: Bytes | null;
  /** Secret S of the folder's present link, when this device has it. */
  readonly secret: Bytes | null;
  /** What follows the folder's address in a link to hand on, with its `#`; may be empty. */
  readonly fragment: string;
  /** Tries a passphrase; null where none is needed. */
  readonly unlock: Unlock | null;
  /** Why there is no key; beside keys, what is wrong with the address's fragment, which they did not come by. */
  readonly error: AppError | null;
}

export type FolderKeyInput = FolderKeyRequest;

/** A key as it was loaded, with what WebCrypto makes of it. */
interface Loaded extends LoadedFolderKey {
  readonly keys: FolderKeys | null;
}

const NOTHING: Loaded = {
  key: null,
  keys: null,
  secret: null,
  maySeal: false,
  fragment: '',
  needsPassphrase: false,
  error: null,
};

const isSame = (one: Bytes | null, other: Bytes): boolean =>
  one?.length === other.length && other.every((byte, at) => byte === one[at]);

/** The same key keeps its CryptoKeys: whatever was opened with them needs no second opening. */
async function withKeys(loaded: LoadedFolderKey, before: Loaded | null): Promise<Loaded> {
  if (loaded.key === null) return { ...loaded, keys: null };
  if (before?.keys && isSame(before.key, loaded.key)) return { ...loaded, keys: before.keys };
  const { importKeys } = await import('@satchel/container/key');
  return { ...loaded, keys: await importKeys(loaded.key) };
}

/** Whoever is not signed in has keys by the link alone; where it has none, nothing that opens one is fetched either. */
const isKeyless = ({ folder, userId, hash }: FolderKeyRequest): boolean =>
  folder.folder_link_mode === 'plain' ||
  (folder.folder_link_mode !== 'discord' && userId === null && fragmentKind(hash) === 'none');

async function load(request: FolderKeyRequest, before: Loaded | null): Promise<Loaded> {
  if (isKeyless(request)) return NOTHING;
  try {
    const { loadFolderKey } = await import('../../lib/folder-crypto.ts');
    return await withKeys(await loadFolderKey(request), before);
  } catch (error) {
    return { ...NOTHING, error: toAppError(error, 'key.retrieval_failed') };
  }
}

const whoseKey = ({ folder, userId }: FolderKeyRequest): string => `${folder.folder_id} ${userId}`;

/** All that another key, or another way to it, would follow from. */
const identify = (input: FolderKeyRequest): string =>
  JSON.stringify([whoseKey(input), input.folder.temp_key_api_token, input.folder.folder_link_mode, input.hash]);

function stateOf(loaded: Loaded, unlock: Unlock): FolderKeyState {
  const { key, keys, secret, maySeal, fragment, needsPassphrase, error } = loaded;
  return {
    loading: false,
    keys,
    sealingKeys: maySeal ? keys : null,
    sealingKey: maySeal ? key : null,
    key,
    secret,
    fragment,
    unlock: needsPassphrase ? unlock : null,
    error,
  };
}

/** Keys live as long as their folders; those that expired while no page of the site was open go now (CONTAINER §3). */
function useKeyExpiry({ folder, userId }: FolderKeyRequest): void {
  const { folder_id, folder_link_mode, folder_expires_at, server_time } = folder;
  const mayHold = userId !== null && folder_link_mode !== 'plain';
  const keep = useEffectEvent(async () => {
    const { keepKeyUntil } = await import('../../lib/key-store.ts');
    await keepKeyUntil(folder_id, folder_expires_at, server_time);
  });
  useEffect(() => {
    if (mayHold && folder_expires_at) keep().catch(() => console.warn('The time of a folder’s keys could not be set.'));
  }, [mayHold, folder_expires_at]);
}

/**
 * The folder's key on this page; loaded again when the link, the person or the folder's key changes. Until that is done
 * the page goes on with what it has, if that was this person's key of this folder.
 */
export function useFolderKey(input: FolderKeyInput): FolderKeyState {
  const [held, setHeld] = useState<{ whose: string; request: string; loaded: Loaded } | null>(null);
  const [whose, request] = [whoseKey(input), identify(input)];
  const current = held?.whose === whose ? held.loaded : null;
  const isPlain = input.folder.folder_link_mode === 'plain';
  const start = useEffectEvent(() => load(input, current));
  useEffect(() => {
    let isCurrent = true;
    void start().then((loaded) => {
      if (isCurrent) setHeld({ whose, request, loaded });
    });
    return () => {
      isCurrent = false;
    };
  }, [whose, request]);
  useKeyExpiry(input);
  const unlock: Unlock = async (passphrase, signal) => {
    const { unlockFolderKey } = await import('../../lib/folder-crypto.ts');
    const loaded = await withKeys(await unlockFolderKey(input, passphrase, signal), null);
    signal.throwIfAborted();
    setHeld({ whose, request, loaded });
  };
  if (isPlain) return stateOf(NOTHING, unlock);
  return current === null ? { ...stateOf(NOTHING, unlock), loading: true } : stateOf(current, unlock);
}
