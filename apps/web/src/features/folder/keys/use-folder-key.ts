import type { FolderKeys } from '@satchel/container/key';
import type { FolderKeyring, Keyring } from '@satchel/container/keyring';
import type { FolderCompleteData } from '@satchel/contract/api';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { useEffect, useEffectEvent, useState } from 'react';
import type { FolderKeyRequest } from '../../lib/folder-crypto.ts';
import { isPinnedHere } from '../../lib/folder-pins.ts';
import { type FolderTrust, type TrustQuestion, trustOf } from '../../lib/folder-trust.ts';
import { followKeyChanges, type KeyChange } from '../../lib/key-news.ts';
import { fragmentKind } from '../../lib/link-parts.ts';
import type { Loaded } from './loaded-key.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** @throws AppError key.wrong_passphrase and its like; the signal's reason */
export type Unlock = (passphrase: string, signal: AbortSignal) => Promise<void>;

/** "Keep it private", or "I switched it". */
export type TrustAnswer = 'keep' | 'switch';

/** The keys that files are sealed with, and whether their names are. */
export interface FolderSealing {
  readonly keys: FolderKeys;
  readonly hidesNames: boolean;
}

export interface FolderKeyState {
  readonly loading: boolean;
  /** The keys are being looked at again, after a change of the folder's facts: nothing new is sealed until then. */
  readonly reloading: boolean;
  /** For opening files; null in a plain folder and when this page has no key. */
  readonly keyring: FolderKeyring | null;
  /** What this page does with the folder, whatever the server says of it. */
  readonly trust: FolderTrust;
  /** The folder's link is another one than the one that these keys came by: later files need the new one. */
  readonly isReplaced: boolean;
  /** For sealing files; null when these keys may not (CONTAINER §3, §6), and as long as a question waits. */
  readonly sealing: FolderSealing | null;
  /** For what stays on this device, such as the names of files that wait. */
  readonly ownKeys: FolderKeys | null;
  /** The folder's keys, for making other links of them (lib/link-mode); null when they may not seal. */
  readonly ring: Keyring | null;
  /** The folder's keys themselves, oldest first, to hand on; null where there are none. */
  readonly keys: readonly Bytes[] | null;
  /** Secret S of the folder's present link, when this device has it. */
  readonly secret: Bytes | null;
  /** What follows the folder's address in a link to hand on, with its `#`; may be empty. */
  readonly fragment: string;
  /** Tries a passphrase; null where none is needed. */
  readonly unlock: Unlock | null;
  /** Answers what `trust` asks: this person's act on this device. */
  readonly answer: (question: TrustQuestion, answer: TrustAnswer) => Promise<void>;
  /** Why there is no key; beside keys, what is wrong with the address's fragment, which they did not come by. */
  readonly error: AppError | null;
}

export interface FolderKeyInput extends FolderKeyRequest {
  /** Another tab of this browser has made a new link, or opened one: the folder's facts are to be asked for again. */
  readonly onNewLink: () => void;
}

const NOTHING: Loaded = {
  ring: null,
  sealingKey: null,
  known: null,
  keyring: null,
  sealer: null,
  secret: null,
  fragment: '',
  needsPassphrase: false,
  error: null,
  knows: { ring: 'none', mode: null, hidesNames: false, kept: [], address: 'none', isPinned: false },
};

/** People who are not signed in have keys by the link alone; where it has none, nothing that opens one is fetched. */
const isKeyless = ({ folder, userId, hash }: FolderKeyRequest): boolean =>
  folder.folder_link_mode !== 'discord' && userId === null && fragmentKind(hash) === 'none';

/** Whether a folder is plain for all that this device knows: most of what opens keys is not needed then. */
async function isUnknownPlain({ folder, hash }: FolderKeyRequest): Promise<boolean> {
  if (folder.folder_link_mode !== 'plain' || fragmentKind(hash) !== 'none') return false;
  return !(await isPinnedHere({ folderId: folder.folder_id, slug: folder.folder_slug }));
}

async function load(request: FolderKeyRequest, before: Loaded | null): Promise<Loaded> {
  if (isKeyless(request)) return NOTHING;
  try {
    if (await isUnknownPlain(request)) return NOTHING;
    return await (await import('./loaded-key.ts')).load(request, before);
  } catch (error) {
    // What this device knows could not be looked up: it is not taken for nothing.
    return {
      ...NOTHING,
      knows: { ...NOTHING.knows, isPinned: true },
      error: toAppError(error, 'key.retrieval_failed'),
    };
  }
}

/** Before it is known what this device knows, nothing is uploaded. */
const NOT_YET: FolderTrust['sealing'] = { kind: 'blocked', block: 'needs_link' };

const whoseKey = ({ folder, userId }: FolderKeyRequest): string => `${folder.folder_id} ${userId}`;

/** All that another key, or another way to it, would follow from. */
const identify = (input: FolderKeyRequest): string =>
  JSON.stringify([whoseKey(input), input.folder.temp_key_api_token, input.folder.folder_link_mode, input.hash]);

/** By the folder's facts as they are now, which may be newer than the look at the keys. */
function isReplacedNow({ knows, known }: Loaded, { temp_key_api_token: token }: FolderCompleteData): boolean {
  return knows.ring === 'own' && known?.api_token != null && token !== null && known.api_token !== token;
}

type Acts = Pick<FolderKeyState, 'answer'> & { readonly unlock: Unlock };

function stateOf(loaded: Loaded, input: FolderKeyRequest, { answer, unlock }: Acts): FolderKeyState {
  const { ring, keyring, sealer, secret, fragment, needsPassphrase, error } = loaded;
  const { folder_link_mode: mode, hide_names: hidesNames } = input.folder;
  const isReplaced = isReplacedNow(loaded, input.folder);
  const trust = trustOf({ ...loaded.knows, isReplaced }, { mode, hidesNames });
  const { sealing } = trust;
  return {
    loading: false,
    reloading: false,
    keyring,
    trust,
    isReplaced: isReplaced && mode === 'private',
    sealing: sealing.kind === 'sealed' && sealer ? { keys: sealer, hidesNames: sealing.hidesNames } : null,
    ownKeys: sealer,
    // A new link adds to the keys, and has to be made of all of them.
    ring: sealer !== null && sealing.kind !== 'blocked' ? ring : null,
    keys: ring?.keys ?? null,
    secret,
    fragment,
    unlock: needsPassphrase ? unlock : null,
    answer,
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

/** Counts the changes that this device makes to what it remembers of a folder, in whatever tab. */
function useKeyChanges(folderId: string, onNewLink: () => void): number {
  const [changes, setChanges] = useState(0);
  const hear = useEffectEvent((change: KeyChange) => {
    setChanges((before) => before + 1);
    if (change === 'link') onNewLink();
  });
  useEffect(() => followKeyChanges(folderId, hear), [folderId]);
  return changes;
}

interface Held {
  readonly whose: string;
  readonly request: string;
  readonly loaded: Loaded;
}

/**
 * The folder's keys on this page; loaded again when the link, the person or what this device remembers changes. Until that
 * is done the page goes on with what it has, if that was this person's key of this folder.
 */
export function useFolderKey(input: FolderKeyInput): FolderKeyState {
  const [held, setHeld] = useState<Held | null>(null);
  const changes = useKeyChanges(input.folder.folder_id, input.onNewLink);
  const [whose, request] = [whoseKey(input), `${identify(input)} ${changes}`];
  const current = held?.whose === whose ? held.loaded : null;
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
    const { unlock } = await import('./loaded-key.ts');
    const loaded = await unlock(input, { passphrase, signal }, current);
    signal.throwIfAborted();
    setHeld({ whose, request, loaded });
  };
  const answer = async (question: TrustQuestion, reply: TrustAnswer) => {
    const { answerTrust } = await import('../../lib/trust-answer.ts');
    await answerTrust(input, current?.known ?? null, question, reply);
  };
  const acts = { answer, unlock };
  if (current === null) {
    const state = stateOf(NOTHING, input, acts);
    return { ...state, loading: true, trust: { ...state.trust, sealing: NOT_YET } };
  }
  return { ...stateOf(current, input, acts), reloading: held?.request !== request };
}
