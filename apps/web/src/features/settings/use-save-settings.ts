import type { UpdateFolderInput } from '@satchel/contract/api';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { useState } from 'react';
import { rpc } from '../../lib/api/api.ts';
import { announce } from '../../lib/base/announce.ts';
import { notify } from '../../lib/base/toast.ts';
import { errorText } from '../../lib/texts/error-text.ts';

interface SaveInput {
  folderId: string;
  onSaved: () => void;
}

/** Saves some of the folder's settings; absent fields keep their value. */
export function useSaveSettings({ folderId, onSaved }: SaveInput) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<AppError | null>(null);
  /**
   * True once the server has saved them.
   * @param onTaken updates this device's stored facts, before the folder is loaded again
   */
  const save = async (
    changes: Omit<UpdateFolderInput, 'folder_id'>,
    done: string,
    onTaken?: () => Promise<void>,
  ): Promise<boolean> => {
    setBusy(true);
    setFailure(null);
    try {
      await rpc('update_folder_settings', { folder_id: folderId, ...changes });
      await onTaken?.();
      notify(done);
      onSaved();
      return true;
    } catch (error) {
      const refused = toAppError(error);
      setFailure(refused);
      announce(errorText(refused), true);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, save, forgive: () => setFailure(null) };
}
