import type { FolderDraft } from './folder-draft.ts';

/** The form as it was left, for this tab: whoever has to sign in again finds it so, and nobody else. */
const KEY = 'satchel.folder_draft';

/** The passphrase is nothing that storage should hold. */
type Kept = Omit<FolderDraft, 'passphrase' | 'passphraseAgain'> & { readonly at: string; readonly userId: string };

/** Another address asks for something else, so it has a form of its own. */
const here = () => `${location.pathname}${location.search}`;

export function keepDraft({ passphrase: _, passphraseAgain: __, ...rest }: FolderDraft, userId: string): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...rest, at: here(), userId } satisfies Kept));
  } catch {
    // Storage may be forbidden; the form then lasts for this page.
  }
}

/** The draft that this person left at this address, over what the form starts with otherwise. */
export function keptDraft(empty: FolderDraft, maxHours: number, userId: string): FolderDraft {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Kept | null;
    if (kept?.at !== here() || kept.userId !== userId) return empty;
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
