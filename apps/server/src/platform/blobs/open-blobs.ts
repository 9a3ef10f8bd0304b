import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BlobStore } from './blobs.ts';
import { createDiskBlobs } from './blobs-disk.ts';

/**
 * The store of a site's blobs, as its settings name it.
 * @param settings.blobsUrl a directory that all nodes reach; null: one on the disk of the only process
 */
export const openBlobs = ({ blobsUrl, dataDir }: { blobsUrl: string | null; dataDir: string }): BlobStore =>
  blobsUrl === null
    ? createDiskBlobs({ dir: join(dataDir, 'blobs') })
    : createDiskBlobs({ dir: fileURLToPath(blobsUrl), isLocal: false });
