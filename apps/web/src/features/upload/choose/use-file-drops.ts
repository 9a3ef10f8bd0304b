import { t } from '@lingui/core/macro';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { importPatiently } from '../../lib/patient-import.ts';
import { notify } from '../../lib/toast.ts';
import type { Choice } from './chosen-files.ts';
import { dragDataOf } from './drag-data.ts';

/** What reads files loads with the first that come. */
const reader = () => importPatiently(() => import('./chosen-files.ts'));
type Reader = Awaited<ReturnType<typeof reader>>;

const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
const TYPING = 'input, textarea, select, [contenteditable]';

/** What is pasted into a field is text of that field, unless it is nothing but files. */
function isForField({ target, clipboardData }: ClipboardEvent): boolean {
  const isField = target instanceof Element && target.closest(TYPING) !== null;
  return isField || clipboardData === null || clipboardData.files.length === 0;
}

/**
 * Drop anywhere, or paste: both go to the same queue (DESIGN-UX §7).
 * @returns whether files are being dragged over the page
 */
export function useFileDrops(onFiles: (choice: Choice) => void): boolean {
  const [isOver, setOver] = useState(false);
  const depth = useRef(0);
  const take = useEffectEvent(async (read: (by: Reader) => Choice | Promise<Choice>) => {
    const by = await reader();
    const choice = await read(by);
    if (by.saysSomething(choice)) onFiles(choice);
    else notify(t`There are no files in what you dropped.`, 'info');
  });
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const setDepth = (next: number) => {
      depth.current = Math.max(0, next);
      setOver(depth.current > 0);
    };
    window.addEventListener('dragenter', (event) => carriesFiles(event) && setDepth(depth.current + 1), { signal });
    window.addEventListener('dragleave', (event) => carriesFiles(event) && setDepth(depth.current - 1), { signal });
    window.addEventListener('dragover', (event) => carriesFiles(event) && event.preventDefault(), { signal });
    window.addEventListener(
      'drop',
      (event) => {
        if (!carriesFiles(event) || !event.dataTransfer) return;
        event.preventDefault();
        setDepth(0);
        const data = dragDataOf(event.dataTransfer);
        void take((by) => by.droppedFiles(data));
      },
      { signal },
    );
    window.addEventListener(
      'paste',
      (event) => {
        if (isForField(event)) return;
        const files = [...(event.clipboardData?.files ?? [])];
        void take((by) => by.pastedFiles(files, (stamp) => t`Pasted image ${stamp}`));
      },
      { signal },
    );
    return () => listening.abort();
  }, []);
  return isOver;
}
