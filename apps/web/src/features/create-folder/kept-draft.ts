import { tabStorage } from '../../lib/base/device.ts';
import type { FolderDraft } from './folder-draft.ts';

/** Keeps the unsent form in this tab where it has storage, for the same person after a new sign-in only. */
const KEY = 'satchel.folder_draft';

/** A passphrase must not be written to storage. */
type Kept = Omit<FolderDraft, 'passphrase' | 'passphraseAgain'> & { readonly at: string; readonly userId: string };

/** Each address, and each Discord command, has its own draft. */
const hereFor = (intentId: string | null) => `${location.pathname}${location.search}#${intentId ?? ''}`;

/** @param intentId of the /upload command in Discord */
export function keepDraft(draft: FolderDraft, userId: string, intentId: string | null): void {
  const { passphrase: _, passphraseAgain: __, ...rest } = draft;
  tabStorage.set(KEY, JSON.stringify({ ...rest, at: hereFor(intentId), userId } satisfies Kept));
}

/** This person's draft at this address, merged over the form's defaults. */
export function keptDraft(empty: FolderDraft, maxHours: number, userId: string, intentId: string | null): FolderDraft {
  const kept = tabStorage.json(KEY) as Kept | null;
  if (kept?.at !== hereFor(intentId) || kept.userId !== userId) return empty;
  const { at: _, userId: __, ...rest } = kept;
  return { ...empty, ...rest, lifetimeHours: Math.min(rest.lifetimeHours, maxHours) };
}

export const deleteDraft = (): void => tabStorage.delete(KEY);
