import { type PassphraseFault, passphraseFault } from '@satchel/client/keys/passphrase-fault';
import type { NewLinkMode } from '@satchel/contract/entities';
import { FOLDER_NAME_MAX } from '@satchel/contract/limits';

/** Values of the create-folder form. */
export interface FolderDraft {
  readonly name: string;
  readonly description: string;
  /** Who opens it. */
  readonly linkMode: NewLinkMode;
  /** Encrypted folders only. */
  readonly hideNames: boolean;
  /** Private links only: opening the link also needs a passphrase. */
  readonly wantsPassphrase: boolean;
  readonly passphrase: string;
  readonly passphraseAgain: string;
  readonly lifetimeHours: number;
}

/** The draft fields that a link to the page may set. */
export type Prefill = Partial<Pick<FolderDraft, 'name' | 'linkMode' | 'lifetimeHours'>>;

const CHOICES_HOURS = [1, 3, 6, 12, 24, 48, 72, 168];

/**
 * Lifetimes to offer, longest first; none exceeds the server's limit.
 * @param wanted one more lifetime to offer, such as one from a link
 */
export function lifetimeChoices(maxHours: number, wanted = maxHours): number[] {
  const shorter = [...CHOICES_HOURS, wanted].filter((hours) => hours > 0 && hours < maxHours);
  return [...new Set([maxHours, ...shorter])].toSorted((one, other) => other - one);
}

export const emptyDraft = (maxHours: number, prefill: Prefill = {}): FolderDraft => ({
  name: '',
  description: '',
  linkMode: 'private',
  hideNames: true,
  wantsPassphrase: false,
  passphrase: '',
  passphraseAgain: '',
  lifetimeHours: maxHours,
  ...prefill,
});

/** Passphrase of the folder's link, or null if it has none. */
export const passphraseOf = (draft: FolderDraft): string | null =>
  draft.linkMode === 'private' && draft.wantsPassphrase ? draft.passphrase : null;

const MODES: readonly NewLinkMode[] = ['plain', 'private', 'discord'];

function nameIn(value: unknown): string {
  // The router parses `?name=2026` as a number.
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
 * Reads a link to the page: `?name=…&lifetime={hours}&mode=plain|private|discord`, as the bot sends it. It only
 * fills in the form: invalid values are ignored, and the limits apply.
 */
export function readPrefill(search: Readonly<Record<string, unknown>>, maxHours: number): Prefill {
  const { name, lifetime, mode } = search;
  const hours = hoursIn(lifetime, maxHours);
  const linkMode = MODES.find((known) => known === mode);
  return {
    ...(nameIn(name) === '' ? {} : { name: nameIn(name) }),
    ...(hours === null ? {} : { lifetimeHours: hours }),
    ...(linkMode === undefined ? {} : { linkMode }),
  };
}

/** Validation errors of a draft, by field. */
export interface DraftProblems {
  readonly passphrase?: PassphraseFault;
  readonly passphraseAgain?: 'different';
}

export function problemsOf(draft: FolderDraft): DraftProblems {
  const passphrase = passphraseOf(draft);
  if (passphrase === null) return {};
  const fault = passphraseFault(passphrase, draft.name);
  if (fault) return { passphrase: fault };
  // Passphrases that look the same are equal (docs/container.md §3): compare both after normalization.
  const isSame = passphrase.normalize('NFC') === draft.passphraseAgain.normalize('NFC');
  return isSame ? {} : { passphraseAgain: 'different' };
}
