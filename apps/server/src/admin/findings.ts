/** What a check can find, and how it is said: kinds and ids, never a name or a secret. */

/** Each kind with what is wrong, for the help and for those who read a finding. */
export const FINDING_KINDS = {
  site_mismatch: 'DATA_DIR and database belong to different sites: all else is of no use',
  file_blob_missing: 'a file whose bytes are not there',
  file_blob_size: 'a file whose bytes are not as many as its row says',
  upload_blob_missing: 'an open upload whose acknowledged bytes are not there',
  upload_blob_short: 'an open upload with fewer bytes than were acknowledged',
  blob_unreadable: 'bytes that can not be read to their end (--read)',
  blob_unclaimed: 'bytes that no file, no open upload and no queued removal names',
  blob_queued: 'bytes of a file or an open upload that are queued for removal',
  profile_used: 'an account whose used bytes are not the sum of its files',
  profile_reserved: 'an account whose reserved bytes are not the sum of its open uploads',
  folder_size: 'a folder whose size is not the sum of its files',
  folder_file_count: 'a folder whose number of files is not that of its files',
  folder_not_empty: 'a deleted or swept folder that still has files, open uploads or a key',
  key_of_ended_link: 'a plain folder, or one whose link was revoked, that still has a key',
  share_missing: 'a private link whose key share is not there',
  share_unclaimed: 'a key share that no link names, and no sweep has erased in time',
} as const;

export type FindingKind = keyof typeof FINDING_KINDS;

/** Ids and numbers by name. */
export type FindingDetail = Readonly<Record<string, string | number>>;

export interface Finding {
  readonly kind: FindingKind;
  readonly detail: FindingDetail;
}

export const lineOf = ({ kind, detail }: Finding): string =>
  [kind, ...Object.entries(detail).map(([name, value]) => `${name}=${value}`)].join(' ');

/** What was looked at, and what a sweep has yet to free: no fault of the site's. */
export type Counts = Readonly<Record<string, number>>;

export interface Looked {
  readonly findings: readonly Finding[];
  readonly looked: Counts;
  readonly waiting: Counts;
}
