import { deleteStored } from '@satchel/client/folders/delete-stored';
import type { UploadFolder } from '@satchel/client/send/order';
import { sendJson } from '../../lib/api/api.ts';

/** A file whose place an uploaded one takes. */
export interface ReplacedFile {
  readonly folder: Pick<UploadFolder, 'bucket' | 'bucket_storage_path'>;
  readonly storedName: string;
  readonly token: (renew: boolean) => Promise<string>;
}

/**
 * Deletes what an upload replaces, once the upload is there: until then the folder has the earlier file.
 * @throws AppError what the server said
 */
export async function deleteReplaced({ folder, storedName, token }: ReplacedFile): Promise<void> {
  const place = { bucket: folder.bucket, storagePath: folder.bucket_storage_path };
  await deleteStored({ sendJson }, place, [storedName], { token: await token(false) });
}
