/** The findings of checks, as kinds and ids, without names or secrets. */

/** Each kind with its meaning, for the help. */
export const FINDING_KINDS = {
  site_mismatch: 'DATA_DIR and database belong to different sites: the other findings mean nothing',
  file_blob_missing: 'a file whose bytes are missing',
  file_blob_size: 'a file with more or fewer bytes than its row says',
  still_blob_missing: 'a file whose still is missing; the file is whole',
  still_blob_size: 'a still with more or fewer bytes than its row says',
  upload_blob_missing: 'an open upload whose acknowledged bytes are missing',
  upload_blob_short: 'an open upload with fewer bytes than were acknowledged',
  blob_unreadable: 'bytes that cannot be read to their end (--read, --hash)',
  file_blob_changed: 'a file whose bytes are not those that came (--hash)',
  still_blob_changed: 'a still whose bytes are not those that came; the file is whole (--hash)',
  upload_blob_changed: 'an open upload whose acknowledged bytes are not those that came (--hash)',
  blob_unclaimed: 'bytes without a file, a still, an open upload or an entry of the purge queue',
  parts_unclaimed: 'rows of parts whose blob no other row names',
  blob_queued: 'bytes of a file, a still or an open upload that are queued for purging',
  profile_used: 'an account whose used bytes are not the sum of its files and their stills',
  profile_reserved: 'an account whose reserved bytes are not the sum of its open uploads',
  folder_size: 'a folder whose size is not the sum of its files',
  folder_file_count: 'a folder whose number of files is wrong',
  folder_not_empty: 'a deleted or expired folder that still has files, open uploads or a key',
  key_of_ended_link: 'a plain folder, or one whose link was revoked, that still has a key',
  share_missing: 'a private link whose key share is missing',
  share_unclaimed: 'a key share without a link that no sweep has purged in time',
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

/** What was checked, and what waits for a sweep, which is no fault. */
export type Counts = Readonly<Record<string, number>>;

export interface CheckResult {
  readonly findings: readonly Finding[];
  readonly checked: Counts;
  readonly queued: Counts;
}
