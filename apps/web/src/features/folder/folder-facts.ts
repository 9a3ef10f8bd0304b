import { t } from '@lingui/core/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { localDate, megabytes } from '../../lib/figures/format.ts';

/** Number of files of each kind in the folder. */
export interface FileCounts {
  readonly total: number;
  readonly encrypted: number;
  /** Encrypted folders only; not counted from the list. */
  readonly foreign: number;
  /** By their labels, where they have one. */
  readonly sizeBytes: number;
}

type OwnerNames = Pick<FolderCompleteData, 'owner_discord_global_name' | 'owner_discord_username'>;

/** Global name, else username, else 'Unknown'. */
export const ownerName = (names: OwnerNames): string =>
  names.owner_discord_global_name || names.owner_discord_username || t`Unknown`;

/** Placeholder for a number that is still loading. */
const UNKNOWN = '…';

/** `3 total`. */
const totalText = (total: number): string => t`${total} total`;

/** A line with the number of files; null when there is none to show. */
export function totalLine(
  { folder_size_bytes }: Pick<FolderCompleteData, 'folder_size_bytes'>,
  counts: FileCounts | null,
) {
  if (counts) return counts.total > 0 ? totalText(counts.total) : null;
  return folder_size_bytes > 0 ? UNKNOWN : null;
}

type Dated = Pick<FolderCompleteData, 'folder_created_at' | 'folder_size_bytes' | 'folder_link_mode' | 'folder_access'>;
type FactRow = readonly [name: string, value: string];

function countRows({ total, encrypted, foreign }: FileCounts): readonly FactRow[] {
  const regular = total - encrypted - foreign;
  const rows: FactRow[] = [];
  if (total > 0) rows.push([t`Files`, totalText(total)]);
  if (encrypted > 0) rows.push([t`Encrypted`, String(encrypted)]);
  if (encrypted > 0 && regular > 0) rows.push([t`Regular`, String(regular)]);
  if (foreign > 0) rows.push([t`Not from this folder`, String(foreign)]);
  return rows;
}

/** The folder's size in MB: the sum of its files once they are listed, before, of their stored bytes; null for none. */
export function sizeText(
  { folder_size_bytes }: Pick<FolderCompleteData, 'folder_size_bytes'>,
  counts: FileCounts | null,
) {
  const sizeBytes = counts ? counts.sizeBytes : folder_size_bytes;
  return sizeBytes > 0 ? megabytes(sizeBytes) : null;
}

/** Rows to expect before the list is loaded: a folder with bytes has files. */
function expectedRows({ folder_size_bytes, folder_link_mode }: Dated): readonly FactRow[] {
  if (folder_size_bytes === 0) return [];
  const files: FactRow = [t`Files`, UNKNOWN];
  return folder_link_mode === 'plain' ? [files] : [files, [t`Encrypted`, UNKNOWN]];
}

/**
 * The sidebar's rows below the owner, each under its condition.
 * @param counts null until the files are listed
 */
export function factRows(folder: Dated, counts: FileCounts | null): readonly FactRow[] {
  const rows: FactRow[] = [[t`Created`, localDate(folder.folder_created_at)]];
  if (folder.folder_access === 'restricted') rows.push([t`Access`, t`Invited only`]);
  const size = sizeText(folder, counts);
  if (size !== null) rows.push([t`Size`, size]);
  return [...rows, ...(counts ? countRows(counts) : expectedRows(folder))];
}
