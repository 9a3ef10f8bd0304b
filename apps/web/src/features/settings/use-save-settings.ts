import type { UpdateFolderInput } from '@satchel/contract/api';
import { rpc } from '../../lib/api/api.ts';
import { announce } from '../../lib/base/announce.ts';
import { notify } from '../../lib/base/toast.ts';
import { useAct } from '../../ui/sections/use-act.ts';

interface SaveInput {
  folderId: string;
  onSaved: () => void;
}

/** Saves some of the folder's settings; absent fields keep their value. */
export function useSaveSettings({ folderId, onSaved }: SaveInput) {
  const { run, ...act } = useAct((say) => announce(say(), true));
  /**
   * True once the server has saved them.
   * @param told what is said then, each by itself
   * @param onTaken updates this device's stored facts, before the folder is loaded again
   */
  const save = (
    changes: Omit<UpdateFolderInput, 'folder_id'>,
    told: readonly (() => string)[],
    onTaken?: () => Promise<void>,
  ) =>
    run(async () => {
      await rpc('update_folder_settings', { folder_id: folderId, ...changes });
      await onTaken?.();
      for (const say of told) notify(say);
      onSaved();
    });
  return { ...act, save };
}
