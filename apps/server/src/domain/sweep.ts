import { lte, sql } from 'drizzle-orm';
import type { VisitorSalts } from '../platform/keys/visitor-salts.ts';
import { sessions } from '../platform/schema/accounts.ts';
import { purgeDeviceCodes } from './accounts/device-codes.ts';
import { purgePseudonyms } from './activity/visit-counters.ts';
import { deleteInBatches } from './base/batches.ts';
import { purgeRateCounts } from './base/rate-limits.ts';
import { purgeInteractions } from './discord/interactions.ts';
import { purgeExpiredIntents } from './discord/upload-intents.ts';
import { purgeQueuedBlobs } from './files/blob-purge.ts';
import { deleteOrphanParts } from './files/orphan-parts.ts';
import { purgePassphraseTries } from './links/passphrase.ts';
import { purgeStagedLabels } from './links/staged-labels.ts';
import { purgeReports } from './moderation/reports.ts';
import type { DeletionDeps, Report } from './removal/delete-folder.ts';
import { expireFolders, purgeDeletedFolders, purgeSlugs } from './removal/expire-folders.ts';
import { type PurgeKeysDeps, purgeKeys } from './removal/purge-keys.ts';
import { purgeExpiredGrants } from './sharing/grants.ts';
import { type JournalDeps, pruneJournal, writeJournal } from './taken-back.ts';
import { expireUploads } from './uploads/uploads.ts';

/** Each such time has its own 256th of the stored parts: all have been looked through within a day. */
const ORPHANS_EVERY_MS = 5 * 60_000;

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
    () =>
      deleteInBatches(
        db,
        sessions,
        { which: lte(sessions.expires_at, sql`now()`), since: sessions.expires_at },
        signal,
      ),
    () => purgeDeviceCodes(db, signal),
    () => purgePassphraseTries(db, signal),
    () => purgeStagedLabels(db, signal),
    () => purgeRateCounts(db, signal),
    () => purgeInteractions(db, signal),
    () => purgeDeletedFolders(db, signal),
    () => purgeSlugs(db, signal),
    () => purgeReports(db, signal),
    () => purgeExpiredGrants(db, signal),
    () => purgeExpiredIntents(db, signal),
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
