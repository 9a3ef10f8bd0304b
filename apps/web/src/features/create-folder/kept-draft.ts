import type { FolderDraft } from './folder-draft.ts';

/** The form as it was left, for this tab: whoever has to sign in again finds it so, and nobody else. */
const KEY = 'satchel.folder_draft';

/** The passphrase is nothing that storage should hold. */
type Kept = Omit<FolderDraft, 'passphrase' | 'passphraseAgain'> & { readonly at: string; readonly userId: string };

/** Another address asks for something else, and so does another command in Discord: each has a form of its own. */
const hereFor = (intentId: string | null) => `${location.pathname}${location.search}#${intentId ?? ''}`;

/** @param intentId of what was asked for by /upload in Discord */
export function keepDraft(draft: FolderDraft, userId: string, intentId: string | null): void {
  const { passphrase: _, passphraseAgain: __, ...rest } = draft;
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...rest, at: hereFor(intentId), userId } satisfies Kept));
  } catch {
    // Storage may be forbidden; the form then lasts for this page.
  }
}

/** The draft that this person left at this address, over what the form starts with otherwise. */
export function keptDraft(empty: FolderDraft, maxHours: number, userId: string, intentId: string | null): FolderDraft {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Kept | null;
    if (kept?.at !== hereFor(intentId) || kept.userId !== userId) return empty;
    const { at: _, userId: __, ...rest } = kept;
    return { ...empty, ...rest, lifetimeHours: Math.min(rest.lifetimeHours, maxHours) };
  } catch {
    return empty;
  }
}

export function dropDraft(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Then there is none.
  }
}
