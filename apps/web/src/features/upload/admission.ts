import { AppError } from '@satchel/contract/errors';
import type { UploadFolder } from '../../lib/upload-messages.ts';

export interface AdmissionRules {
  readonly folder: Pick<UploadFolder, 'link_mode'>;
  /** Whether this device has a key of the folder that may seal (CONTAINER §3). */
  readonly maySeal: boolean;
  /** Plaintext bytes of one file, at most (DESIGN R4). */
  readonly maxFileBytes: number;
}

export interface RejectedFile {
  readonly name: string;
  readonly error: AppError;
}

/** Why a file is not taken, before anything starts (§5); null when it is. */
export function refusalOf(
  file: Pick<File, 'size'>,
  { folder, maySeal, maxFileBytes }: AdmissionRules,
): AppError | null {
  if (folder.link_mode === 'revoked') return new AppError('folder.revoked');
  if (folder.link_mode !== 'plain' && !maySeal) return new AppError('key.needs_link');
  if (file.size === 0) return new AppError(folder.link_mode === 'plain' ? 'upload.empty' : 'seal.empty');
  if (file.size <= maxFileBytes) return null;
  return new AppError('upload.too_large', { sizeBytes: file.size, maxBytes: maxFileBytes });
}

/** Parts chosen files into those that are taken and those that are not, with the reason (DESIGN-UX §7.10). */
export function admit<F extends Pick<File, 'size' | 'name'>>(files: Iterable<F>, rules: AdmissionRules) {
  const admitted: F[] = [];
  const rejected: RejectedFile[] = [];
  for (const file of files) {
    const error = refusalOf(file, rules);
    if (error) rejected.push({ name: file.name, error });
    else admitted.push(file);
  }
  return { admitted, rejected };
}
