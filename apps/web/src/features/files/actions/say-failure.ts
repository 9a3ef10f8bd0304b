import type { AppError } from '@satchel/contract/errors';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { notify } from '../../../lib/base/toast.ts';
import { errorText } from '../../../lib/texts/error-text.ts';

/** Shows the error as a toast, with the file's name. */
export function sayFailure({ name }: Pick<FileItem, 'name'>, error: AppError): void {
  notify(() => {
    const text = errorText(error);
    return text.includes(name) ? text : `${name}: ${text}`;
  }, 'error');
}
