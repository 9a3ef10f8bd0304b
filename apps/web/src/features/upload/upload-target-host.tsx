import { useEffect, useLayoutEffect } from 'react';
import { useOwnLimits } from '../../account/own-data/own-account.ts';
import { accessToken } from '../../account/session/session.ts';
import type { UploadTarget } from '../../engine/uploads/upload-target.ts';
import { uploads } from './page-uploads.ts';

/** Facts that only the folder's page knows. */
export type PageTarget = Omit<UploadTarget, 'maxFileBytes' | 'token'>;

/** Passes the page's facts to the folder's uploads while the page is open, on any tab. */
export function UploadTargetHost({ target }: { target: PageTarget }) {
  const { limits, isLoading } = useOwnLimits(target.userId ?? '');
  const { folderId } = target;
  useLayoutEffect(() => {
    // Chosen files wait until the file limit is loaded: no file is refused by another person's limit.
    if (!isLoading) uploads.attend({ ...target, maxFileBytes: limits.max_file_bytes, token: accessToken });
  });
  useEffect(() => () => uploads.leave(folderId), [folderId]);
  return null;
}
