import { headerOf, hidesName, labelOf } from '@satchel/client/send/entry';
import { storedNameIn } from '@satchel/client/send/identity';
import type { Standing } from '@satchel/client/send/line/requests';
import type { UploadFolder } from '@satchel/client/send/order';
import type { UploadEntry, UploadLog } from '@satchel/client/send/ports';
import type { FolderKeys } from '@satchel/container/key';
import { displayName } from '@satchel/contract/naming';
import { toldServerTimeMs } from '../../../lib/api/server-clock.ts';
import { holdUploadLock } from './upload-lock.ts';
import { openUploadLog } from './upload-log.ts';

/** Uploads that an earlier page of this browser began and did not finish (docs/container.md §5). */

export interface UnfinishedUpload {
  readonly id: string;
  readonly place: string;
  readonly fingerprint: string;
  /** Null when this page has no key that reads the name. */
  readonly name: string | null;
  /** Where it goes in the folder, as far as this page reads it. */
  readonly directory: string;
  readonly sizeBytes: number;
  /** Part on the server, in whole percent; null when the server could not be asked. */
  readonly percent: number | null;
}

export interface UnfinishedQuery {
  readonly folder: Pick<UploadFolder, 'bucket_storage_path'>;
  readonly keys: FolderKeys | null;
  /** Places of files that this page is uploading itself. */
  readonly ownPlaces: ReadonlySet<string>;
  /** Asks the server how far the upload at that address is. */
  readonly standingOf: (url: string) => Promise<Standing>;
}

export interface UnfinishedUploads {
  readonly uploads: readonly UnfinishedUpload[];
  /** How many files another tab is uploading now. */
  readonly elsewhere: number;
}

type Read = Pick<UnfinishedUpload, 'name' | 'directory'>;

async function read(entry: UploadEntry, keys: FolderKeys | null): Promise<Read> {
  const { objectName, prefix } = entry;
  if (prefix === null) return { name: displayName(storedNameIn(objectName)), directory: '' };
  const label = keys && (await labelOf(entry, keys));
  if (label) return { name: label.name, directory: label.directory ?? '' };
  const header = headerOf(entry)?.header;
  return { name: header && !hidesName(header) ? header.originalName : null, directory: '' };
}

/** The caller holds the upload's lock. Null when the upload is over; its log entry is then deleted, too. */
async function look(entry: UploadEntry, log: UploadLog, query: UnfinishedQuery): Promise<UnfinishedUpload | null> {
  const { id, place, fingerprint, url, bytesTotal } = entry;
  const standing: Standing = url === null ? { state: 'open', offset: 0 } : await query.standingOf(url);
  if (standing.state === 'over') {
    await log.remove(id);
    return null;
  }
  const sizeBytes = headerOf(entry)?.header.originalSize ?? bytesTotal;
  const percent = standing.state === 'open' ? Math.floor((100 * standing.offset) / bytesTotal) : null;
  return { id, place, fingerprint, percent, ...(await read(entry, query.keys)), sizeBytes };
}

async function lookAtAll(entries: readonly UploadEntry[], log: UploadLog, query: UnfinishedQuery) {
  const uploads: UnfinishedUpload[] = [];
  let elsewhere = 0;
  for (const entry of entries) {
    const release = await holdUploadLock(entry.id);
    if (!release) {
      elsewhere += 1;
      continue;
    }
    try {
      // Read again under the lock: another tab may have finished it in between.
      const held = await log.get(entry.id);
      const upload = held && (await look(held, log, query));
      if (upload) uploads.push(upload);
    } finally {
      release();
    }
  }
  return { uploads, elsewhere };
}

/**
 * The uploads that an earlier page left unfinished in a folder, and their progress.
 * @throws where the browser has no IndexedDB
 */
export async function findUnfinished(
  query: UnfinishedQuery,
  serverTimeMs = toldServerTimeMs(),
): Promise<UnfinishedUploads> {
  const log = await openUploadLog();
  try {
    // By the server's clock alone: the device's may be hours ahead, and an upload could then never be resumed.
    if (serverTimeMs !== null) await log.purgeExpired(serverTimeMs);
    const below = `${query.folder.bucket_storage_path}/`;
    const entries = (await log.list()).filter(
      ({ objectName, place }) => objectName.startsWith(below) && !query.ownPlaces.has(place),
    );
    return await lookAtAll(entries, log, query);
  } finally {
    log.close();
  }
}
