import { t } from '@lingui/core/macro';
import { toAppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { sendJson } from '../../lib/api/api.ts';
import { notify } from '../../lib/base/toast.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import type { UploadFolder } from './upload-messages.ts';

/** A file whose place an uploaded one takes. */
export interface ReplacedFile {
  readonly folder: Pick<UploadFolder, 'bucket' | 'bucket_storage_path'>;
  readonly storedName: string;
  /** What the person calls it. */
  readonly name: string;
  readonly token: (renew: boolean) => Promise<string>;
}

/** Deletes what an upload replaces, once the upload is there: until then the folder has the earlier file. */
export async function deleteReplaced({ folder, storedName, name, token }: ReplacedFile): Promise<void> {
  const path = `${PATHS.object}/${encodeURIComponent(folder.bucket)}`;
  try {
    const prefixes = [`${folder.bucket_storage_path}/${storedName}`];
    await sendJson('DELETE', path, { prefixes }, { token: await token(false), isRepeatable: true });
  } catch (error) {
    const failure = toAppError(error, 'unexpected');
    notify(() => {
      const reason = errorText(failure);
      return t`The earlier ${name} is still in the folder: ${reason}`;
    }, 'error');
  }
}
