/** What the create-folder page (§2 /upload, DESIGN R9) asks for. */
export interface FolderDraft {
  readonly name: string;
  readonly description: string;
  readonly encrypt: boolean;
  readonly hideNames: boolean;
  readonly lifetimeHours: number;
}

const CHOICES_HOURS = [1, 3, 6, 12, 24, 48, 72, 168];

/** The lifetimes to choose from, the longest allowed one first; no choice is longer than the server's limit. */
export function lifetimeChoices(maxHours: number): number[] {
  const shorter = CHOICES_HOURS.filter((hours) => hours < maxHours);
  return [maxHours, ...shorter.reverse()];
}

export const emptyDraft = (maxHours: number): FolderDraft => ({
  name: '',
  description: '',
  encrypt: true,
  hideNames: true,
  lifetimeHours: maxHours,
});

/** What the server will be able to see of such a folder, in plain words (DESIGN R1, CONTAINER §2). */
export function visibility({ encrypt, hideNames }: Pick<FolderDraft, 'encrypt' | 'hideNames'>): {
  headline: string;
  text: string;
} {
  if (!encrypt) {
    return {
      headline: 'Our server can read these files.',
      text: 'So can anyone who has the link. Names stay readable, too.',
    };
  }
  const names = hideNames
    ? 'Our server sees how many files there are, how big they are and when they came, not what they are called.'
    : 'Our server sees file names, types, sizes and times, but not what is inside.';
  return {
    headline: 'Only your link opens these files.',
    text: `${names} Lose the link and this device, and nobody can open them, including us.`,
  };
}
