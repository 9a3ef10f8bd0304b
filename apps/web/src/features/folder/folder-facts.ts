import { t } from '@lingui/core/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { localDate, megabytes } from '../../lib/format.ts';

/** How many files of each sort the folder holds. */
export interface FileCounts {
  readonly total: number;
  readonly encrypted: number;
}

type OwnerNames = Pick<FolderCompleteData, 'owner_discord_global_name' | 'owner_discord_username'>;

/** Global name, else username, else 'Unknown' (§2). */
export const ownerName = (names: OwnerNames): string =>
  names.owner_discord_global_name || names.owner_discord_username || t`Unknown`;

/** `3 total` (§2). */
export const totalText = (total: number): string => t`${total} total`;

type Dated = Pick<FolderCompleteData, 'folder_created_at' | 'folder_size_bytes'>;

/** The sidebar's rows below the owner, each only under its condition (§2). */
export function factRows(folder: Dated, { total, encrypted }: FileCounts): readonly (readonly [string, string])[] {
  const regular = total - encrypted;
  const rows: (readonly [string, string])[] = [[t`Created`, localDate(folder.folder_created_at)]];
  if (folder.folder_size_bytes > 0) rows.push([t`Size`, megabytes(folder.folder_size_bytes)]);
  if (total > 0) rows.push([t`Files`, totalText(total)]);
  if (encrypted > 0) rows.push([t`Encrypted`, String(encrypted)]);
  if (encrypted > 0 && regular > 0) rows.push([t`Regular`, String(regular)]);
  return rows;
}
