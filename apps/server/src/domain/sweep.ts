import { lte, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { VisitorSalts } from '../platform/keys/visitor-salts.ts';
import { device_codes, sessions } from '../platform/schema/accounts.ts';
import { interactions, upload_intents } from '../platform/schema/bot.ts';
import { gone_uploads } from '../platform/schema/files.ts';
import { folder_grants, passphrase_tries, staged_labels } from '../platform/schema/links.ts';
import { rate_counts } from '../platform/schema/site.ts';
import { purgePseudonyms } from './activity/visit-counters.ts';
import { deleteInBatches } from './base/batches.ts';
import { purgeQueuedBlobs } from './files/blob-purge.ts';
import { deleteOrphanParts } from './files/orphan-parts.ts';
import { HOUR } from './links/passphrase.ts';
import { purgeReports } from './moderation/reports.ts';
import type { DeletionDeps, Report } from './removal/delete-folder.ts';
import { expireFolders, purgeDeletedFolders, purgeSlugs } from './removal/expire-folders.ts';
import { type PurgeKeysDeps, purgeKeys } from './removal/purge-keys.ts';
import { type JournalDeps, pruneJournal, writeJournal } from './taken-back.ts';
import { UPLOAD_LIFETIME } from './uploads/leases.ts';
import { expireUploads } from './uploads/uploads.ts';

/** Each such time has its own 256th of the stored parts: all have been looked through within a day. */
const ORPHANS_EVERY_MS = 5 * 60_000;

const NOW = sql`now()`;

/** Rows that nothing asks for once a time of theirs is past. */
const OUTDATED: readonly { readonly since: PgColumn; readonly until: SQL }[] = [
  { since: sessions.expires_at, until: NOW },
  { since: device_codes.expires_at, until: NOW },
  { since: passphrase_tries.tried_at, until: sql`now() - ${HOUR}` },
  // Given up.
  { since: staged_labels.staged_at, until: sql`now() - interval '1 day'` },
  { since: rate_counts.ends_at, until: NOW },
  // They can't come again: a signature is accepted for five minutes, by a clock that may be five minutes off.
  { since: interactions.received_at, until: sql`now() - interval '15 minutes'` },
  { since: folder_grants.expires_at, until: NOW },
  { since: upload_intents.expires_at, until: NOW },
  { since: gone_uploads.gone_at, until: sql`now() - ${UPLOAD_LIFETIME}` },
];

export interface FolderSweepDeps extends DeletionDeps {
  readonly visitorSalts: VisitorSalts;
}

/**
 * Expires folders and uploads, and purges blobs, sessions, slugs and other rows. Several nodes may sweep at once.
 * sweepKeys purges expired keys and orphaned key shares, on the node that stores the key shares.
 * @param report is called with each failure; the sweep continues with the next step, and the next sweep tries again
 * @param signal ends the sweep between two batches; the next sweep continues
 */
export async function sweepFolders(deps: FolderSweepDeps, report: Report, signal?: AbortSignal): Promise<void> {
  const { db } = deps;
  const steps = [
    () => expireFolders(deps, report, signal),
    () => expireUploads(db, signal),
    () => purgeQueuedBlobs(deps, report, signal),
    () => deleteOrphanParts(deps, Math.floor(Date.now() / ORPHANS_EVERY_MS), signal),
    ...OUTDATED.map(
      ({ since, until }) =>
        () =>
          deleteInBatches(db, since.table, { which: lte(since, until), since }, signal),
    ),
    () => purgeDeletedFolders(db, signal),
    () => purgeSlugs(db, signal),
    () => purgeReports(db, signal),
    // Pseudonyms are purged before the salt of their day: without it they can't be told from today's.
    () => purgePseudonyms(db, signal),
    () => deps.visitorSalts.purgePast(),
  ];
  for (const step of steps) {
    if (signal?.aborted) return;
    await step().catch(report);
  }
}

export type KeySweepDeps = PurgeKeysDeps & JournalDeps;

/** Sweeps KEYS_DIR: key shares, and the journal beside them. */
export async function sweepKeys(deps: KeySweepDeps, report: Report, signal?: AbortSignal): Promise<void> {
  await purgeKeys(deps, report, signal);
  await writeJournal(deps, signal).catch(report);
  await pruneJournal(deps).catch(report);
}

/** Sweeps a server that stores its keys itself: keys first, while the rows of deleted folders name their key shares. */
export async function sweep(deps: FolderSweepDeps & KeySweepDeps, report: Report, signal?: AbortSignal): Promise<void> {
  await sweepKeys(deps, report, signal);
  await sweepFolders(deps, report, signal);
}
