import { type AdmissionRules, placed, takeFiles } from '@satchel/client/send/list/admission';
import { EMPTY_QUEUE, pendingBytes, queueReducer, totalBytes } from '@satchel/client/send/list/queue';
import type { Choice } from '@satchel/client/send/order';
import { useMemo, useReducer } from 'react';
import { choiceFrom } from '../../engine/uploads/queue/chosen-files.ts';
import { settings } from '../../lib/base/settings.ts';
import { useLatest } from '../../lib/browser/hooks.ts';
import { sayUploadNews } from './say-upload-news.ts';

/** The key is created with the folder, so it can always seal. */
const rulesOf = (sealed: boolean, maxFileBytes: number): AdmissionRules => ({
  folder: { link_mode: sealed ? 'private' : 'plain' },
  maySeal: true,
  maxFileBytes,
  maxFiles: settings.max_folder_files,
  fileCount: 0,
});

/** Files chosen before the folder exists: a queue that doesn't send. */
export function useHandoffFiles(maxFileBytes: number) {
  const [state, dispatch] = useReducer(queueReducer, EMPTY_QUEUE);
  const latest = useLatest(state);
  const actions = useMemo(
    () => ({
      /** @param sealed whether the folder will be encrypted, by the form's present values */
      add(choice: Choice, sealed: boolean): void {
        const rules = rulesOf(sealed, maxFileBytes);
        const files = choice.files.map((chosen) => placed(chosen, { ...rules, directory: '' }));
        const { action, news } = takeFiles({ ...choice, files }, latest.current.items, rules);
        sayUploadNews(news);
        dispatch(action);
      },
      remove: (id: string) => dispatch({ type: 'removed', id }),
      clear: () => dispatch({ type: 'cleared' }),
      dismissNotes: () => dispatch({ type: 'notes_dismissed' }),
      /** The handoff to the folder's own queue; null without files. */
      choice(): Choice | null {
        const files = latest.current.items.map(({ file, name, path }) => ({ file, name, path }));
        return files.length > 0 ? choiceFrom(files) : null;
      },
    }),
    [latest, maxFileBytes],
  );
  const { items, rejected, skipped } = state;
  return { items, rejected, skipped, totalBytes: totalBytes(state), pendingBytes: pendingBytes(state), ...actions };
}

export type HandoffFiles = ReturnType<typeof useHandoffFiles>;
