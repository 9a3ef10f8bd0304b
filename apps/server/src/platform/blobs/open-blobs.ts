import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BlobStore, BlobStoreError } from './blobs.ts';
import { createDiskBlobs } from './blobs-disk.ts';
import { createS3Blobs } from './blobs-s3.ts';
import { parseS3Url, type S3Access, s3Credentials, s3UrlProblem } from './s3-settings.ts';

export interface BlobSettings {
  /** A directory that all nodes reach, or an S3-compatible store; null: the disk of the only process. */
  readonly blobsUrl: string | null;
  readonly blobsAccess: S3Access;
  readonly dataDir: string;
}

/**
 * The store of a site's blobs, as its settings name it. A bucket is asked first whether it can be used.
 * @throws BlobStoreError
 */
export async function openBlobs({ blobsUrl, blobsAccess, dataDir }: BlobSettings): Promise<BlobStore> {
  if (blobsUrl === null) return createDiskBlobs({ dir: join(dataDir, 'blobs') });
  if (!blobsUrl.startsWith('s3:')) return createDiskBlobs({ dir: fileURLToPath(blobsUrl), isLocal: false });
  const wrong = s3UrlProblem(blobsUrl);
  if (wrong !== null) throw new BlobStoreError(`BLOBS_URL: ${wrong}`);
  const blobs = await createS3Blobs({ ...parseS3Url(blobsUrl), credentials: s3Credentials(blobsAccess) });
  const problem = await blobs.problem();
  if (problem !== null) throw new BlobStoreError(`BLOBS_URL: ${problem}`);
  return blobs;
}
