import { AppError } from '@satchel/contract/errors';
import { fitsLabel } from '@satchel/contract/files/file-path';
import { joinPath, splitPath } from '@satchel/contract/files/path-parts';
import { CHOSEN_FILES_MAX, type Choice, type ChosenFile, type UploadFolder } from '../order.ts';
import { nameKey, numbered } from './collisions.ts';
import { NONE_SKIPPED, newItem, type QueueAction, type RejectedFile, type UploadItem } from './queue.ts';
import type { UploadNews } from './upload-news.ts';

export interface AdmissionRules {
  readonly folder: Pick<UploadFolder, 'link_mode'>;
  /** Whether this device has a key of the folder that may seal (docs/container.md §3). */
  readonly maySeal: boolean;
  /** Plaintext bytes of one file, at most. */
  readonly maxFileBytes: number;
  /** Files of one folder, at most. */
  readonly maxFiles: number;
  /** How many files it has, apart from the list's. */
  readonly fileCount: number;
  /** The names that the folder's own files have (nameKey): no number may lead to one of them. */
  readonly taken?: ReadonlySet<string>;
}

/**
 * A chosen file as this folder takes it: an encrypted one keeps its path, below the directory that is open. A plain folder
 * has no directories, since nothing but the server's own names would say them.
 * @param directory that files are put into; empty for the folder itself
 */
export function placed<C extends Pick<ChosenFile, 'name' | 'path'>>(
  chosen: C,
  { folder, directory }: Pick<AdmissionRules, 'folder'> & { readonly directory: string },
): C {
  if (folder.link_mode === 'plain') return chosen;
  return { ...chosen, path: joinPath(directory, chosen.path), name: splitPath(chosen.path).name };
}

type Candidate = Pick<ChosenFile, 'name' | 'path'> & { readonly file: Pick<File, 'name' | 'size' | 'lastModified'> };

/** Why a file is not taken, before anything starts; null when it is. */
function refusalOf({ file, path }: Candidate, { folder, maySeal, maxFileBytes }: AdmissionRules): AppError | null {
  if (folder.link_mode === 'revoked') return new AppError('folder.revoked');
  if (folder.link_mode !== 'plain' && !maySeal) return new AppError('key.needs_link');
  if (file.size > maxFileBytes)
    return new AppError('upload.too_large', { sizeBytes: file.size, maxBytes: maxFileBytes });
  return folder.link_mode === 'plain' || fitsLabel(path) ? null : new AppError('seal.path_too_long');
}

/** What the list has: names that are one file's alone, and files by where they lay. */
function createListed(isPlain: boolean, taken: ReadonlySet<string>) {
  const names = new Set<string>();
  const byPath = new Map<string, Candidate[]>();
  return {
    add(one: Candidate): void {
      names.add(nameKey(one, isPlain));
      // A file that got a number is the same one when it is chosen again, by its own name.
      const own = joinPath(splitPath(one.path).directory, one.file.name);
      for (const path of new Set([one.path, own])) byPath.set(path, [...(byPath.get(path) ?? []), one]);
    },
    has: ({ path, file: { size, lastModified } }: Candidate): boolean =>
      byPath.get(path)?.some(({ file }) => file.size === size && file.lastModified === lastModified) ?? false,
    /** The file, under a number if the list has another one of its name. */
    unique<C extends Candidate>(one: C): C {
      if (!names.has(nameKey(one, isPlain))) return one;
      return numbered(one, (key) => names.has(key) || taken.has(key), isPlain);
    },
  };
}

const NONE_TAKEN: ReadonlySet<string> = new Set();

interface Admission<C> {
  readonly admitted: C[];
  readonly rejected: RejectedFile[];
  readonly repeated: C[];
  /** The admitted files whose names another file of the list has: they got a number. */
  readonly numbered: C[];
}

/**
 * Parts chosen files into those that are taken, those that are not, with the reason, and those that
 * the list has already. Two different files of one name, as of two directories that are called alike, are both taken.
 * @param listed what is on the list and not yet in the folder
 */
export function admit<C extends Candidate>(
  files: Iterable<C>,
  rules: AdmissionRules,
  listed: Iterable<Candidate> = [],
): Admission<C> {
  const list = createListed(rules.folder.link_mode === 'plain', rules.taken ?? NONE_TAKEN);
  let room = rules.maxFiles - rules.fileCount;
  /** One for all: an error keeps where it was made, which takes time for thousands. */
  let full: AppError | null = null;
  const remember = (one: Candidate) => {
    list.add(one);
    room -= 1;
  };
  for (const one of listed) remember(one);
  const admission: Admission<C> = { admitted: [], rejected: [], repeated: [], numbered: [] };
  for (const chosen of files) {
    const error = refusalOf(chosen, rules);
    if (error) admission.rejected.push({ name: chosen.name, error });
    else if (list.has(chosen)) admission.repeated.push(chosen);
    else if (room <= 0) {
      full ??= new AppError('upload.too_many_files', { max: rules.maxFiles });
      admission.rejected.push({ name: chosen.name, error: full });
    } else {
      const taken = list.unique(chosen);
      admission.admitted.push(taken);
      if (taken !== chosen) admission.numbered.push(taken);
      remember(taken);
    }
  }
  return admission;
}

/**
 * Takes chosen files onto the list.
 * @param choice with the paths that its files have in the folder: see `placed`
 * @param listed what is on the list and not yet in the folder
 */
export function takeFiles(
  { files, leftOut, unreadable, isCut }: Choice,
  listed: readonly UploadItem[],
  rules: AdmissionRules,
  nowMs: number = Date.now(),
): { readonly action: QueueAction; readonly news: UploadNews } {
  const sealed = rules.folder.link_mode !== 'plain';
  const { admitted, rejected: refused, repeated, numbered } = admit(files.slice(0, CHOSEN_FILES_MAX), rules, listed);
  const tooMany = new AppError('upload.too_many_chosen', { max: CHOSEN_FILES_MAX });
  const rejected = [...refused, ...files.slice(CHOSEN_FILES_MAX).map(({ name }) => ({ name, error: tooMany }))];
  const fromMs = Math.max(nowMs, ...listed.map(({ addedAtMs }) => addedAtMs + 1));
  const items = admitted.map((chosen, at) =>
    newItem(crypto.randomUUID(), { ...chosen, addedAtMs: fromMs + at }, sealed),
  );
  const skipped = {
    ...NONE_SKIPPED,
    leftOut,
    unreadable,
    repeated: repeated.map(({ name }) => name),
    numbered: numbered.map(({ name }) => name),
  };
  return {
    action: { type: 'added', items, rejected, skipped },
    news: { type: 'chosen', added: items.length, rejected, unreadable, isCut },
  };
}
