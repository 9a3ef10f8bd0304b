import type { FolderKeyRequest } from './folder-crypto.ts';
import type { TrustQuestion } from './folder-trust.ts';
import type { FolderName, KeyStore, PinChange, RememberedKey } from './key-store.ts';

/** A person's acts that change a folder's pin on this device (docs/container.md §6): only these unpin or re-pin a folder. */

function changeFor(
  known: RememberedKey,
  question: TrustQuestion,
  answer: 'keep' | 'switch',
  hidesNames: boolean,
): PinChange {
  const kept = known.kept.filter((one) => one !== question);
  if (question === 'servers_key') {
    return answer === 'keep' ? {} : { mode: 'discord', ring: { ...known.ring, hidesNames } };
  }
  // A folder is plain from its creation on, or never: no other answer exists.
  if (answer === 'keep' || question === 'plain') return { kept: [...kept, question] };
  return question === 'names' ? { ring: { ...known.ring, hidesNames: false } } : { mode: 'discord' };
}

/** Remembers what a person answered to a question of the upload zone. */
export async function answerTrust(
  keys: Pick<KeyStore, 'changePin'>,
  { folder, userId }: Pick<FolderKeyRequest, 'folder' | 'userId'>,
  known: RememberedKey | null,
  question: TrustQuestion,
  answer: 'keep' | 'switch',
): Promise<void> {
  if (known === null || userId === null) return;
  await keys.changePin(userId, folder.folder_id, changeFor(known, question, answer, folder.hide_names));
}

/** Remembers what a person set in Settings: whether files that come hide their names. */
export async function pinNames(
  keys: Pick<KeyStore, 'changePin' | 'recallFolder'>,
  userId: string,
  name: FolderName,
  hidesNames: boolean,
): Promise<void> {
  const known = (await keys.recallFolder(userId, name).catch(() => null))?.known ?? null;
  if (known === null) return;
  const kept = known.kept.filter((claim) => claim !== 'names');
  await keys.changePin(userId, name.folderId, { ring: { ...known.ring, hidesNames }, kept });
}
