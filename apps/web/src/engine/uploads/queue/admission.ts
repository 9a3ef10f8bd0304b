import { AppError } from '@satchel/contract/errors';
import { fitsLabel } from '@satchel/contract/files/file-path';
import { joinPath, splitPath } from '@satchel/contract/files/path-parts';
import type { UploadFolder } from '../upload-messages.ts';
import type { ChosenFile } from './chosen-files.ts';

export interface AdmissionRules {
  readonly folder: Pick<UploadFolder, 'link_mode'>;
  /** Whether this device has a key of the folder that may seal (CONTAINER §3). */
  readonly maySeal: boolean;
  /** Plaintext bytes of one file, at most (DESIGN R4). */
  readonly maxFileBytes: number;
  /** Files of one folder, at most. */
  readonly maxFiles: number;
  /** How many it has, apart from those on the list. */
  readonly fileCount: number;
  /** The directory of the folder that files are put into; absent for its root. */
  readonly directory?: string;
}

/**
 * A chosen file as this folder takes it: an encrypted one keeps its path, below the directory that is open. A plain folder
 * has no directories, since nothing but the server's own names would say them.
 */
export function placed<C extends Pick<ChosenFile, 'name' | 'path'>>(
  chosen: C,
  { folder, directory = '' }: Pick<AdmissionRules, 'folder' | 'directory'>,
): C {
  if (folder.link_mode === 'plain') return chosen;
  return { ...chosen, path: joinPath(directory, chosen.path), name: splitPath(chosen.path).name };
}

export interface RejectedFile {
  readonly name: string;
  readonly error: AppError;
}

type Candidate = Pick<ChosenFile, 'name' | 'path'> & { readonly file: Pick<File, 'size' | 'lastModified'> };

/** Why a file is not taken, before anything starts (§5); null when it is. */
function refusalOf({ file, path }: Candidate, { folder, maySeal, maxFileBytes }: AdmissionRules): AppError | null {
  if (folder.link_mode === 'revoked') return new AppError('folder.revoked');
  if (folder.link_mode !== 'plain' && !maySeal) return new AppError('key.needs_link');
  if (file.size === 0) return new AppError(folder.link_mode === 'plain' ? 'upload.empty' : 'seal.empty');
  if (file.size > maxFileBytes)
    return new AppError('upload.too_large', { sizeBytes: file.size, maxBytes: maxFileBytes });
  return folder.link_mode === 'plain' || fitsLabel(path) ? null : new AppError('seal.path_too_long');
}

const isSame = (a: Candidate, b: Candidate) =>
  a.path === b.path && a.file.size === b.file.size && a.file.lastModified === b.file.lastModified;

/**
 * Parts chosen files into those that are taken, those that are not, with the reason (DESIGN-UX §7.10), and those that
 * the list has already.
 * @param listed what is on the list and not yet uploaded
 */
export function admit<C extends Candidate>(
  files: Iterable<C>,
  rules: AdmissionRules,
  listed: Iterable<Candidate> = [],
): { admitted: C[]; rejected: RejectedFile[]; repeated: C[] } {
  const byPath = new Map<string, Candidate[]>();
  let room = rules.maxFiles - rules.fileCount;
  const remember = (one: Candidate) => {
    byPath.set(one.path, [...(byPath.get(one.path) ?? []), one]);
    room -= 1;
  };
  for (const one of listed) remember(one);
  const admitted: C[] = [];
  const rejected: RejectedFile[] = [];
  const repeated: C[] = [];
  for (const chosen of files) {
    const error = refusalOf(chosen, rules);
    if (error) rejected.push({ name: chosen.name, error });
    else if (byPath.get(chosen.path)?.some((one) => isSame(one, chosen))) repeated.push(chosen);
    else if (room <= 0) {
      rejected.push({ name: chosen.name, error: new AppError('upload.too_many_files', { max: rules.maxFiles }) });
    } else {
      admitted.push(chosen);
      remember(chosen);
    }
  }
  return { admitted, rejected, repeated };
}
