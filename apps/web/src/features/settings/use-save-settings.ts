import type { UpdateFolderInput } from '@satchel/contract/api';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { useState } from 'react';
import { announce } from '../../lib/announce.ts';
import { rpc } from '../../lib/api.ts';
import { errorText } from '../../lib/error-text.ts';
import { notify } from '../../lib/toast.ts';

interface SaveInput {
  folderId: string;
  onSaved: () => void;
}

/** Saves a part of the folder's settings; what is absent stays as it is. */
export function useSaveSettings({ folderId, onSaved }: SaveInput) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<AppError | null>(null);
  /**
   * True once the server has taken it.
   * @param onTaken what this device remembers of it, before anybody asks for the folder's facts again
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
