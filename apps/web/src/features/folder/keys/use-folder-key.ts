import { isReadDirectly } from '@satchel/client/folders/load-folder';
import type { FolderKeyRequest, LoadedFolderKey } from '@satchel/client/keys/folder-crypto';
import { type FolderTrust, type TrustQuestion, trustOf } from '@satchel/client/keys/folder-trust';
import { isSameBytes, isSameRing, withHeldKeys } from '@satchel/client/keys/keyrings';
import { fragmentKind } from '@satchel/client/keys/link-parts';
import { answerTrust } from '@satchel/client/keys/trust-answer';
import type { FolderKeys } from '@satchel/container/key';
import { type FolderKeyring, importKeyring, type Keyring } from '@satchel/container/keyring';
import type { FolderCompleteData } from '@satchel/contract/api';
import { AppError, toAppError } from '@satchel/contract/errors';
import { useEffect, useEffectEvent, useState } from 'react';
import { loadFolderKey, unlockFolderKey } from '../../../engine/keys/folder-keys.ts';
import { isPinnedHere } from '../../../engine/keys/folder-pins.ts';
import { followKeyChanges, type KeyChange } from '../../../engine/keys/key-news.ts';
import { changePin, keepKeyUntil } from '../../../engine/keys/key-store.ts';
import { whileCurrent } from '../../../lib/browser/while-current.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** @throws AppError key.wrong_passphrase and other key errors; the signal's reason */
export type Unlock = (passphrase: string, signal: AbortSignal) => Promise<void>;

/** The answers "Keep it private" and "I switched it". */
export type TrustAnswer = 'keep' | 'switch';

/** The keys that seal new files, and whether file names are sealed, too. */
export interface FolderSealing {
  readonly keys: FolderKeys;
  readonly hidesNames: boolean;
  /** The api_token of the link that the keys came with; null where this device does not know it. */
  readonly linkToken: string | null;
}

export interface FolderKeyState {
  readonly loading: boolean;
  /** The keys are being loaded again after a change of the folder's facts: until then nothing new is sealed. */
  readonly reloading: boolean;
  /** Opens files; null in a plain folder and when this page has no key. */
  readonly keyring: FolderKeyring | null;
  /** Whether this page treats the folder as encrypted, regardless of the server's answer. */
  readonly trust: FolderTrust;
  /** The folder's link was replaced since these keys were loaded: newer files need the new link. */
  readonly isReplaced: boolean;
  /** Seals files; null when these keys may not (docs/container.md §3, §6), and while a question is open. */
  readonly sealing: FolderSealing | null;
  /** Seals what stays on this device, such as the names of unfinished uploads. */
  readonly ownKeys: FolderKeys | null;
  /** Used to create other links (@satchel/client/keys/link-mode); null when the keys may not seal. */
  readonly ring: Keyring | null;
  /** The folder's raw keys, oldest first, for a link to share; null where there are none. */
  readonly keys: readonly Bytes[] | null;
  /** Secret S of the folder's present link, if this device has it. */
  readonly secret: Bytes | null;
  /** Fragment of a link to share, with `#`; may be empty. */
  readonly fragment: string;
  /** Tries a passphrase; null where none is needed. */
  readonly unlock: Unlock | null;
  /** Answers the question in `trust`: this person's decision on this device. */
  readonly answer: (question: TrustQuestion, answer: TrustAnswer) => Promise<void>;
  /** Why there is no key; with keys, the error of the address's fragment, which did not provide them. */
  readonly error: AppError | null;
  /** This device has begun to change the folder's link, and the change was interrupted: the page finishes it. */
  readonly isLinkUnfinished: boolean;
  /** Set when the page doesn't know whether there is a key, since it got no answer, or none with an end. */
  readonly lost: AppError | null;
  /** Asks for the key again. */
  readonly retry: () => void;
}

export interface FolderKeyInput extends FolderKeyRequest {
  /** Another tab of this browser created or opened a new link: the folder's facts must be loaded again. */
  readonly onNewLink: () => void;
}

/** A loaded key with its imported CryptoKeys. */
interface Loaded extends LoadedFolderKey {
  readonly keyring: FolderKeyring | null;
  readonly sealer: FolderKeys | null;
}

/** Unchanged keys keep their CryptoKeys: files opened with them need no second opening. */
async function withKeys(loaded: LoadedFolderKey, before: Loaded | null): Promise<Loaded> {
  const { ring, sealingKey } = loaded;
  if (ring === null) return { ...loaded, keyring: null, sealer: null };
  const held = before?.ring && before.keyring ? { ring: before.ring, imported: before.keyring } : null;
  const importNew = async () => {
    const imported = await importKeyring(ring);
    return held ? withHeldKeys(imported, ring, held) : imported;
  };
  const keyring = held && isSameRing(held.ring, ring) ? held.imported : await importNew();
  // The imported keys are newest first.
  const at = sealingKey === null ? -1 : ring.keys.toReversed().findIndex((key) => isSameBytes(key, sealingKey));
  return { ...loaded, keyring, sealer: keyring.keys[at] ?? null };
}

/** The keys from the link, this device and the server. */
const loadKey = async (request: FolderKeyRequest, before: Loaded | null): Promise<Loaded> =>
  withKeys(await loadFolderKey({ ...request, held: before?.known ?? null }), before);

/** @throws AppError key.wrong_passphrase and other key errors; the signal's reason */
const unlockKey = async (
  request: FolderKeyRequest,
  { passphrase, signal }: { passphrase: string; signal: AbortSignal },
  before: Loaded | null,
): Promise<Loaded> => withKeys(await unlockFolderKey(request, passphrase, signal), before);

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

/** Signed-out visitors have keys only from the link. */
const isKeyless = ({ folder, userId, hash }: FolderKeyRequest): boolean =>
  folder.folder_link_mode !== 'discord' && userId === null && fragmentKind(hash) === 'none';

/** Whether the folder is plain and this device knows nothing else of it. */
async function isUnknownPlain({ folder, hash }: FolderKeyRequest): Promise<boolean> {
  if (folder.folder_link_mode !== 'plain' || fragmentKind(hash) !== 'none') return false;
  return !(await isPinnedHere({ folderId: folder.folder_id, slug: folder.folder_slug }));
}

async function load(request: FolderKeyRequest, before: Loaded | null): Promise<Loaded> {
  if (isKeyless(request)) return NOTHING;
  try {
    if (await isUnknownPlain(request)) return NOTHING;
    return await loadKey(request, before);
  } catch (error) {
    // The device's storage could not be read: don't treat it as empty.
    return {
      ...NOTHING,
      knows: { ...NOTHING.knows, isPinned: true },
      error: toAppError(error, 'key.retrieval_failed'),
    };
  }
}

/** Until this device's storage is read, nothing is uploaded. */
const NOT_YET: FolderTrust['sealing'] = { kind: 'blocked', block: 'needs_link' };

const scopeOf = ({ folder, userId }: FolderKeyRequest): string => `${folder.folder_id} ${userId}`;

/** Changes when other keys, or another way to them, may apply. */
const identify = (input: FolderKeyRequest): string =>
  JSON.stringify([scopeOf(input), input.folder.temp_key_api_token, input.folder.folder_link_mode, input.hash]);

/** Uses the latest facts of the folder, which may be newer than the loaded keys. */
function isReplacedNow({ knows, known }: Loaded, { temp_key_api_token: token }: FolderCompleteData): boolean {
  return knows.ring === 'own' && known?.api_token != null && token !== null && known.api_token !== token;
}

type Acts = Pick<FolderKeyState, 'answer' | 'retry'> & { readonly unlock: Unlock };

/** A key that could not be requested, or that the key service could not give now, was not refused. */
function lostOf({ keyring, error }: Loaded, { folder, hash }: FolderKeyRequest): AppError | null {
  if (keyring !== null) return null;
  if (error?.code === 'key.retrieval_failed') return error;
  const needsServer = folder.folder_link_mode === 'discord' || fragmentKind(hash) === 'secret';
  return needsServer && isReadDirectly(folder) ? new AppError('key.not_found') : null;
}

function stateOf(loaded: Loaded, input: FolderKeyRequest, { unlock, ...acts }: Acts): FolderKeyState {
  const { ring, keyring, sealer, secret, fragment, needsPassphrase, error, knows, known } = loaded;
  const { folder_link_mode: mode, hide_names: hidesNames } = input.folder;
  const isReplaced = isReplacedNow(loaded, input.folder);
  const trust = trustOf({ ...knows, isReplaced }, { mode, hidesNames });
  const { sealing } = trust;
  // Another device made a Discord link of the folder since. The token that came with this device's keys is not that link's, though
  // the server holds the same keys.
  const linkToken = isReplaced && mode === 'discord' ? null : (known?.api_token ?? null);
  return {
    loading: false,
    reloading: false,
    keyring,
    trust,
    isReplaced: isReplaced && mode === 'private',
    sealing: sealing.kind === 'sealed' && sealer ? { keys: sealer, hidesNames: sealing.hidesNames, linkToken } : null,
    ownKeys: sealer,
    // A new link adds a key, and must include all present ones.
    ring: sealer !== null && sealing.kind !== 'blocked' ? ring : null,
    keys: ring?.keys ?? null,
    secret,
    fragment,
    unlock: needsPassphrase ? unlock : null,
    error,
    isLinkUnfinished: knows.ring === 'own' && !isReplaced && known?.pending?.fields !== undefined,
    lost: lostOf(loaded, input),
    ...acts,
  };
}

/** Keys live as long as their folders; delete keys that expired while no page of the site was open (docs/container.md §3). */
function useKeyExpiry({ folder, userId }: FolderKeyRequest): void {
  const { folder_id, folder_link_mode, folder_expires_at } = folder;
  const mayHold = userId !== null && folder_link_mode !== 'plain';
  const keep = useEffectEvent(() => keepKeyUntil(folder_id, folder_expires_at));
  useEffect(() => {
    if (mayHold && folder_expires_at)
      keep().catch(() => console.warn('The expiry of a folder’s keys could not be saved.'));
  }, [mayHold, folder_expires_at]);
}

/** Counts the changes of this device's stored keys of a folder, in any tab. */
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
  readonly scope: string;
  readonly request: string;
  readonly loaded: Loaded;
}

/**
 * The folder's keys on this page; loaded again when the link, the person or this device's stored keys change. Until
 * then the page keeps the present keys, if they are this person's keys of this folder.
 */
export function useFolderKey(input: FolderKeyInput): FolderKeyState {
  const [held, setHeld] = useState<Held | null>(null);
  const changes = useKeyChanges(input.folder.folder_id, input.onNewLink);
  const [tries, setTries] = useState(0);
  const [scope, request] = [scopeOf(input), `${identify(input)} ${changes} ${tries}`];
  const current = held?.scope === scope ? held.loaded : null;
  const start = useEffectEvent(() => load(input, current));
  useEffect(() => whileCurrent(start(), (loaded) => setHeld({ scope, request, loaded })), [scope, request]);
  useKeyExpiry(input);
  const unlock: Unlock = async (passphrase, signal) => {
    const loaded = await unlockKey(input, { passphrase, signal }, current);
    signal.throwIfAborted();
    setHeld({ scope, request, loaded });
  };
  const answer = async (question: TrustQuestion, reply: TrustAnswer) => {
    await answerTrust({ changePin }, input, current?.known ?? null, question, reply);
  };
  const acts = { answer, unlock, retry: () => setTries((before) => before + 1) };
  if (current === null) {
    const state = stateOf(NOTHING, input, acts);
    return { ...state, loading: true, trust: { ...state.trust, sealing: NOT_YET } };
  }
  return { ...stateOf(current, input, acts), reloading: held?.request !== request };
}
