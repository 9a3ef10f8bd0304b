import type { AppError } from '@satchel/contract/errors';
import { errorText } from '../../lib/error-text.ts';
import { notify } from '../../lib/toast.ts';
import type { FileItem } from './file-model.ts';

/** Says what failed with a file, and with which. */
export function sayFailure({ name }: Pick<FileItem, 'name'>, error: AppError): void {
  const text = errorText(error);
  notify(text.includes(name) ? text : `${name}: ${text}`, 'error');
}
