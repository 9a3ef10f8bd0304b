import { FOLDER_NAME_MAX } from '@satchel/contract/limits';
import { type PassphraseFault, passphraseFault } from '../../lib/passphrase-fault.ts';

/** What the create-folder page (§2 /upload, DESIGN R9) asks for. */
export interface FolderDraft {
  readonly name: string;
  readonly description: string;
  readonly encrypt: boolean;
  /** Of an encrypted folder: its link is a Discord link, not a private one (DESIGN R1). */
  readonly discordLink: boolean;
  readonly hideNames: boolean;
  /** Of a private link: whoever opens it needs a passphrase, too. */
  readonly wantsPassphrase: boolean;
  readonly passphrase: string;
  readonly passphraseAgain: string;
  readonly lifetimeHours: number;
}

/** What of a draft a link to the page may say. */
export type Prefill = Partial<Pick<FolderDraft, 'name' | 'encrypt' | 'discordLink' | 'lifetimeHours'>>;

const CHOICES_HOURS = [1, 3, 6, 12, 24, 48, 72, 168];

/**
 * The lifetimes to choose from, the longest allowed one first; no choice is longer than the server's limit.
 * @param wanted one more, such as a link asked for
 */
export function lifetimeChoices(maxHours: number, wanted = maxHours): number[] {
  const shorter = [...CHOICES_HOURS, wanted].filter((hours) => hours > 0 && hours < maxHours);
  return [...new Set([maxHours, ...shorter])].toSorted((one, other) => other - one);
}

export const emptyDraft = (maxHours: number, prefill: Prefill = {}): FolderDraft => ({
  name: '',
  description: '',
  encrypt: true,
  discordLink: false,
  hideNames: true,
  wantsPassphrase: false,
  passphrase: '',
  passphraseAgain: '',
  lifetimeHours: maxHours,
  ...prefill,
});

/** How the folder's link will open it. */
export function linkModeOf({ encrypt, discordLink }: FolderDraft): 'plain' | 'private' | 'discord' {
  if (!encrypt) return 'plain';
  return discordLink ? 'discord' : 'private';
}

/** The passphrase of the folder's link, or null where it has none. */
export const passphraseOf = (draft: FolderDraft): string | null =>
  linkModeOf(draft) === 'private' && draft.wantsPassphrase ? draft.passphrase : null;

const MODES: Readonly<Record<string, Prefill>> = {
  plain: { encrypt: false },
  private: { encrypt: true, discordLink: false },
  discord: { encrypt: true, discordLink: true },
};

function nameIn(value: unknown): string {
  // The router reads `?name=2026` as a number.
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  if (text.includes('\0') || !text.isWellFormed()) return '';
  let name = '';
  for (const character of text) {
    if (name.length + character.length > FOLDER_NAME_MAX) break;
    name += character;
  }
  return name;
}

function hoursIn(value: unknown, maxHours: number): number | null {
  const hours = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof hours !== 'number' || !Number.isFinite(hours) || hours <= 0) return null;
  return Math.min(hours, maxHours);
}

/**
 * What a link to the page asks for: `?name=…&lifetime={hours}&mode=plain|private|discord`, as the bot sends it. It only
 * fills in the form; what makes no sense is left out, and nothing goes beyond the limit.
 */
export function readPrefill(search: Readonly<Record<string, unknown>>, maxHours: number): Prefill {
  const { name, lifetime, mode } = search;
  const hours = hoursIn(lifetime, maxHours);
  return {
    ...(nameIn(name) === '' ? {} : { name: nameIn(name) }),
    ...(hours === null ? {} : { lifetimeHours: hours }),
    ...(typeof mode === 'string' && Object.hasOwn(MODES, mode) ? MODES[mode] : {}),
  };
}

/** What is wrong with a draft before it is sent, by field. */
export interface DraftProblems {
  readonly passphrase?: PassphraseFault;
  readonly passphraseAgain?: 'different';
}

export function problemsOf(draft: FolderDraft): DraftProblems {
  const passphrase = passphraseOf(draft);
  if (passphrase === null) return {};
  const fault = passphraseFault(passphrase, draft.name);
  if (fault) return { passphrase: fault };
  // What looks the same is the same (CONTAINER §3): both are compared as they will be used.
  const isSame = passphrase.normalize('NFC') === draft.passphraseAgain.normalize('NFC');
  return isSame ? {} : { passphraseAgain: 'different' };
}
