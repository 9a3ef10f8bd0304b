import { useMemo, useReducer } from 'react';
import { useLatest } from '../../lib/hooks.ts';
import { settings } from '../../lib/settings.ts';
import type { AdmissionRules } from './admission.ts';
import type { Choice } from './chosen-files.ts';
import { EMPTY_QUEUE, pendingBytes, queueReducer, totalBytes } from './queue.ts';
import { takeFiles } from './take-files.ts';

/** The key of a folder to be is made with it, so it is always there to seal with. */
const rulesOf = (sealed: boolean, maxFileBytes: number): AdmissionRules => ({
  folder: { link_mode: sealed ? 'private' : 'plain' },
  maySeal: true,
  maxFileBytes,
  maxFiles: settings.max_folder_files,
  fileCount: 0,
});

/** Files that are chosen before there is a folder: a queue without anything that sends them. */
export function useWaitingFiles(maxFileBytes: number) {
  const [state, dispatch] = useReducer(queueReducer, EMPTY_QUEUE);
  const latest = useLatest(state);
  const actions = useMemo(
    () => ({
      /** @param sealed whether the folder will be encrypted, as it stands now */
      add: (choice: Choice, sealed: boolean) =>
        dispatch(takeFiles(choice, latest.current.items, rulesOf(sealed, maxFileBytes))),
      remove: (id: string) => dispatch({ type: 'removed', id }),
      clear: () => dispatch({ type: 'cleared' }),
      dismissNotes: () => dispatch({ type: 'notes_dismissed' }),
      /** What waits, for the folder's own queue; null when there is nothing. */
      choice(): Choice | null {
        const files = latest.current.items.map(({ file, name, path }) => ({ file, name, path }));
        return files.length > 0 ? { files, leftOut: [], unreadable: [], isCut: false } : null;
      },
    }),
    [latest, maxFileBytes],
  );
  const { items, rejected, skipped } = state;
  return { items, rejected, skipped, totalBytes: totalBytes(state), pendingBytes: pendingBytes(state), ...actions };
}

export type WaitingFiles = ReturnType<typeof useWaitingFiles>;
